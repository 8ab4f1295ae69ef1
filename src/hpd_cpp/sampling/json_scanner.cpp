#include "sampling/json_scanner.h"

namespace hpd {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

JsonScanner::Status JsonScanner::feed(std::string_view bytes) {
    for (char c : bytes) {
        if (status_ != Status::incomplete) break;
        step(c);
        // A number is known to be complete only at the byte after it, which is not part of it.
        if (status_ == Status::incomplete ||
            (status_ == Status::complete && lexeme_ != Lexeme::number)) {
            ++length_;
        }
    }
    return status_;
}

JsonScanner::Status JsonScanner::finish() {
    if (status_ != Status::incomplete) return status_;
    const bool bare_number = lexeme_ == Lexeme::number && open_.empty() && number_may_end();
    status_ = bare_number ? Status::complete : Status::invalid;
    return status_;
}

void JsonScanner::step(char c) {
    switch (lexeme_) {
        case Lexeme::string:
            if (c == '"') {
                lexeme_ = Lexeme::none;
                if (string_is_key_) {
                    expect_ = Expect::colon;
                } else {
                    end_value();
                }
            } else if (c == '\\') {
                lexeme_ = Lexeme::escape;
            }
            return;
        case Lexeme::escape:
            lexeme_ = Lexeme::string;
            return;
        case Lexeme::literal:
            if (c != literal_rest_.front()) {
                fail();
                return;
            }
            literal_rest_.remove_prefix(1);
            if (literal_rest_.empty()) {
                lexeme_ = Lexeme::none;
                end_value();
            }
            return;
        case Lexeme::number:
            step_number(c);
            return;
        case Lexeme::none:
            if (!is_space(c)) start(c);
            return;
    }
}

void JsonScanner::start(char c) {
    lexeme_begin_ = length_;
    const bool may_end = expect_ == Expect::value_or_end || expect_ == Expect::key_or_end ||
                         expect_ == Expect::comma_or_end;
    if (may_end && !open_.empty() && c == (open_.back() == '{' ? '}' : ']')) {
        open_.pop_back();
        end_value();
        return;
    }
    switch (expect_) {
        case Expect::colon:
            c == ':' ? void(expect_ = Expect::value) : fail();
            return;
        case Expect::comma_or_end:
            if (c != ',') return fail();
            expect_ = open_.back() == '{' ? Expect::key : Expect::value;
            return;
        case Expect::key:
        case Expect::key_or_end:
            if (c != '"') return fail();
            lexeme_ = Lexeme::string;
            string_is_key_ = true;
            return;
        case Expect::value:
        case Expect::value_or_end:
            break;
    }
    switch (c) {
        case '"':
            lexeme_ = Lexeme::string;
            string_is_key_ = false;
            return;
        case '{':
            open_.push_back(c);
            expect_ = Expect::key_or_end;
            return;
        case '[':
            open_.push_back(c);
            expect_ = Expect::value_or_end;
            return;
        case 't':
            literal_rest_ = "rue";
            break;
        case 'f':
            literal_rest_ = "alse";
            break;
        case 'n':
            literal_rest_ = "ull";
            break;
        default:
            if (c != '-' && !is_digit(c)) return fail();
            lexeme_ = Lexeme::number;
            number_ = c == '-' ? Number::sign : Number::integer;
            return;
    }
    lexeme_ = Lexeme::literal;
}

void JsonScanner::step_number(char c) {
    if (is_digit(c)) {
        switch (number_) {
            case Number::sign:
                number_ = Number::integer;
                return;
            case Number::point:
                number_ = Number::fraction;
                return;
            case Number::exponent:
            case Number::exponent_sign:
                number_ = Number::power;
                return;
            default:
                return;
        }
    }
    if (c == '.' && number_ == Number::integer) {
        number_ = Number::point;
        return;
    }
    if ((c == 'e' || c == 'E') && number_may_end() && number_ != Number::power) {
        number_ = Number::exponent;
        return;
    }
    if ((c == '+' || c == '-') && number_ == Number::exponent) {
        number_ = Number::exponent_sign;
        return;
    }
    const bool delimiter = is_space(c) || c == ',' || c == '}' || c == ']';
    if (!delimiter || !number_may_end()) return fail();
    if (open_.empty()) {
        // Leaves lexeme_ at number: feed() must not count the delimiter.
        status_ = Status::complete;
        return;
    }
    lexeme_ = Lexeme::none;
    end_value();
    if (!is_space(c)) start(c);
}

bool JsonScanner::number_may_end() const {
    return number_ == Number::integer || number_ == Number::fraction || number_ == Number::power;
}

void JsonScanner::end_value() {
    if (open_.empty()) {
        status_ = Status::complete;
    } else {
        expect_ = Expect::comma_or_end;
    }
}

}  // namespace hpd
