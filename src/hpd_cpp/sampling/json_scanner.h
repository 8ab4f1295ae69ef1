#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace hpd {

// Scans a text byte by byte for the end of its JSON value.
//
// Leading white space is allowed. A string ends at its first unescaped quote, even if its escapes
// are invalid; an array or object at its closing bracket; a literal at its last letter; a number,
// which may have leading zeros like an account number, only at the delimiter after it. Bytes after
// the value are ignored, so a token may contain more than the end of the value.
class JsonScanner {
public:
    enum class Status { incomplete, complete, invalid };

    // Reads more bytes and returns the status. Once it is not incomplete, further bytes change
    // nothing.
    Status feed(std::string_view bytes);

    // Ends the text, so that a number no longer needs a delimiter. Returns the status.
    Status finish();

    Status status() const { return status_; }

    // Returns the number of bytes up to the end of the value, without its delimiter.
    size_t length() const { return length_; }

    // Returns the offset at which the last string, number, literal or mark begins.
    size_t lexeme_begin() const { return lexeme_begin_; }
    bool in_string() const { return lexeme_ == Lexeme::string || lexeme_ == Lexeme::escape; }
    // Whether it is in the name of an object's member.
    bool in_key() const { return in_string() && string_is_key_; }

private:
    enum class Expect { value, value_or_end, key_or_end, key, colon, comma_or_end };
    enum class Lexeme { none, string, escape, literal, number };
    enum class Number { sign, integer, point, fraction, exponent, exponent_sign, power };

    void step(char c);
    void step_number(char c);
    void start(char c);
    void end_value();
    bool number_may_end() const;
    void fail() { status_ = Status::invalid; }

    Status status_ = Status::incomplete;
    Expect expect_ = Expect::value;
    Lexeme lexeme_ = Lexeme::none;
    Number number_ = Number::sign;
    std::string_view literal_rest_;
    bool string_is_key_ = false;
    std::vector<char> open_;  // the brackets of the open containers: '{' or '['
    size_t length_ = 0;
    size_t lexeme_begin_ = 0;
};

}  // namespace hpd
