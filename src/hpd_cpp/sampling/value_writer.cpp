#include "sampling/value_writer.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace hpd {

namespace {

// Branches that together have less than this share of the chosen token's probability are left out.
constexpr double left_out = 1e-5;

// Above this log-probability a token's share is not computed: 1 - p is below a thousandth.
constexpr float nearly_certain = -1e-3f;

// The id of a value's stream of random numbers, which depends only on what is asked.
uint64_t stream_of(const Value & value) {
    const uint64_t prompt = hash_tokens(value.request->prompt);
    return hash_step(hash_tokens(value.field().key, prompt), value.index);
}

constexpr size_t longest_period = 16;  // of a text that repeats itself
constexpr size_t longest_required = 64;  // tokens of a repetition that a constraint may require
constexpr size_t longest_period_of_items = 512;
constexpr std::ptrdiff_t n_invented_texts = 12;  // consecutive texts at a list's end
constexpr size_t shortest_anywhere = 6;  // bytes of a text that may be found inside a word

bool is_in(char c, std::string_view some) { return some.find(c) != std::string_view::npos; }

// Returns the text without blanks and escapes, in which a value and its document may differ.
std::string bare(std::string_view text) {
    std::string kept;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') {
            if (i + 1 < text.size() && is_in(text[i + 1], "nrt")) ++i;  // an escaped blank
        } else if (!is_in(text[i], " \n\r\t")) {
            kept += text[i];
        }
    }
    return kept;
}

size_t count_in(const std::string & text, const std::string & part) {
    size_t n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

// The quotation marks that open and close strings.
std::vector<size_t> quotes_in(const std::string & json) {
    std::vector<size_t> quotes;
    for (size_t i = 0; i < json.size(); ++i) {
        if (json[i] == '\\')
            ++i;
        else if (json[i] == '"')
            quotes.push_back(i);
    }
    return quotes;
}

// Counts the texts and numbers, but not the keys, in a part of a JSON text. Those at its beginning
// and end are left out if they may be incomplete.
std::map<std::string, size_t> scalars_in(const std::string & json, bool ends_in_string) {
    const std::vector<size_t> quotes = quotes_in(json);
    std::map<std::string, size_t> scalars;
    // Every other quotation mark opens a string.
    size_t q = quotes.size() % 2 == (ends_in_string ? 1 : 0) ? 0 : 1;
    if (q == 1 && quotes.empty()) return {};
    size_t after = q == 1 ? quotes[0] + 1 : 0;
    const auto add_numbers = [&](size_t begin, size_t end) {
        const auto is_part = [](char c) { return is_in(c, "0123456789.-"); };
        for (size_t i = begin; i < end; ++i) {
            const size_t start = i;
            while (i < end && is_part(json[i])) ++i;
            if (i > start && start > 0 && i < json.size()) ++scalars[json.substr(start, i - start)];
        }
    };
    for (; q + 1 < quotes.size(); q += 2) {
        add_numbers(after, quotes[q]);
        after = quotes[q + 1] + 1;
        const size_t next = json.find_first_not_of(" \n", after);
        const bool is_key = next != std::string::npos && json[next] == ':';
        const std::string text = json.substr(quotes[q] + 1, after - quotes[q] - 2);
        if (!is_key && !bare(text).empty()) ++scalars[text];
    }
    if (!ends_in_string) add_numbers(after, json.size());
    return scalars;
}

// Returns the complete strings of the beginning of a JSON text, without their quotation marks.
std::vector<std::string_view> texts_in(const std::string & json) {
    const std::vector<size_t> quotes = quotes_in(json);
    std::vector<std::string_view> texts;
    for (size_t q = 0; q + 1 < quotes.size(); q += 2) {
        const size_t begin = quotes[q] + 1;
        texts.push_back(std::string_view(json).substr(begin, quotes[q + 1] - begin));
    }
    return texts;
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char & c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// A document in which texts are looked up, in any case of letters.
class DocumentText {
public:
    explicit DocumentText(std::string_view document) : text_(lower(document)), bare_(bare(text_)) {}

    // Returns how often the document has a text: a short one as a word of its own, a longer one
    // anywhere and with any blanks.
    size_t count(std::string_view searched) const {
        const std::string text = lower(searched);
        const std::string bare_text = bare(text);
        if (bare_text.size() >= shortest_anywhere) return count_in(bare_, bare_text);
        size_t n = 0;
        for (size_t at = text_.find(text); at != std::string::npos; at = text_.find(text, at + 1)) {
            const size_t end = at + text.size();
            const bool begins = at == 0 || !is_letter_or_digit(text_[at - 1]);
            const bool ends = end == text_.size() || !is_letter_or_digit(text_[end]);
            n += begins && ends;
        }
        return n;
    }

    bool has_anywhere(std::string_view text) const {
        return bare_.find(lower(bare(text))) != std::string::npos;
    }

    // Whether most of the scalars occur more often than in the document.
    bool is_exceeded_by(const std::map<std::string, size_t> & scalars) const {
        const auto n = std::count_if(scalars.begin(), scalars.end(), [&](const auto & scalar) {
            return scalar.second > count(scalar.first);
        });
        return 2 * static_cast<size_t>(n) > scalars.size();
    }

    bool has_none_of(const std::map<std::string, size_t> & scalars) const {
        return std::none_of(scalars.begin(), scalars.end(),
                            [&](const auto & scalar) { return count(scalar.first) > 0; });
    }

private:
    std::string text_;
    std::string bare_;
};

// Returns the tokens that count next, each with the log of its share. Computed even if one token is
// nearly certain, as the rest may be all the probability that other values have.
Branches branches_of(Token token, const LogitRow & row, Constraint & constraint) {
    const std::vector<Token> tokens = constraint.allowed_beside(row, token, left_out);
    const double total = row.log_sum + log_sum(row, tokens);
    Branches branches;
    for (const Token other : tokens)
        branches.emplace_back(other, static_cast<float>(row.logits[other] - total));
    return branches;
}

bool is_inside_a_character(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }

}  // namespace

bool ValueWriter::write(Value & value, const LogitRow & row) {
    Constraint * constraint = constraint_of(value);
    const Choice choice = choose(value, row, constraint);
    if (choice.token < 0) {  // the constraint allows no token
        value.finish = Finish::invalid;
    } else {
        const Likelihood likelihood = likelihood_of(choice, value, row, constraint);
        value.log_shares.push_back(likelihood.log_share);
        if (constraint && value.field().records_branches)
            value.branches.push_back(branches_of(choice.token, row, *constraint));
        value.tokens.push_back(choice.token);
        value.logprobs.push_back(likelihood.logprob);
        value.margins.push_back(choice.margin);
        if (constraint) constraint->accept(choice.token);
        value.finish = read(value, choice.token, constraint);
    }
    if (value.finish == Finish::none) return false;
    forget(value);
    return true;
}

// Returns the value's constraint, made at its first token; nullptr if it has none.
Constraint * ValueWriter::constraint_of(const Value & value) {
    if (value.tokens.empty()) {
        if (auto made = constraints_.make(value.field()))
            active_constraints_[&value] = std::move(made);
    }
    const auto it = active_constraints_.find(&value);
    return it == active_constraints_.end() ? nullptr : it->second.get();
}

Choice ValueWriter::choose(const Value & value, const LogitRow & row,
                           Constraint * constraint) const {
    const size_t n = value.tokens.size();
    // A known answer replaces the model's only after the logits are computed and read as usual. A
    // constraint checks its tokens, which takes as long as with a model that obeys.
    if (n < value.field().replay.size()) {
        Choice choice = choose_greedy(row);
        choice.token = value.field().replay[n];
        if (constraint && !constraint->allows(choice.token))
            throw std::invalid_argument("a known answer is not allowed by its field's grammar");
        return choice;
    }
    TokenFilter allowed;
    if (constraint) allowed = [constraint](Token t) { return constraint->allows(t); };
    if (options_.temperature > 0.0f) {
        const double uniform = uniform_at(options_.seed, stream_of(value), n);
        return choose_random(row, options_, uniform, allowed);
    }
    if (!constraint) return choose_greedy(row);
    const LogitBias & bias = value.field().first_bias;
    return n == 0 && !bias.empty() ? choose_greedy(row, allowed, bias)
                                   : choose_greedy(row, allowed);
}

// A token that completes the value counts together with all tokens that complete it in the same
// way: models close a string together with what follows (`"}`, `",`), so a bare quotation mark is
// unlikely.
ValueWriter::Likelihood ValueWriter::likelihood_of(const Choice & choice, const Value & value,
                                                   const LogitRow & row,
                                                   Constraint * constraint) const {
    // A nearly certain token leaves no share to others.
    if (choice.logprob > nearly_certain) return {choice.logprob, choice.logprob};
    const std::vector<Token> alike = completing_alike(choice.token, value, row);
    const float logprob = alike.size() > 1 ? log_sum(row, alike) : choice.logprob;
    if (!value.field().normalizes || !constraint) return {logprob, logprob};
    std::vector<Token> allowed = constraint->allowed_beside(row, choice.token, negligible);
    allowed.insert(allowed.end(), alike.begin(), alike.end());
    std::sort(allowed.begin(), allowed.end());
    allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
    return {logprob, std::min(0.0f, logprob - log_sum(row, allowed))};
}

// Returns the tokens that lead to the same value: the token itself and, if it completes the value,
// all that complete it with the same text, whatever follows in them, or begin to do so (`)` may
// become `)"}`). The total probability of those left out is below a thousandth of the token's.
std::vector<Token> ValueWriter::completing_alike(Token token, const Value & value,
                                                 const LogitRow & row) const {
    const std::string text = completed_by(token, value);
    if (text.empty()) return {token};
    const std::string rest = text.substr(value.text.size());
    std::vector<Token> alike;
    for (const Token other : tokens_beside(row, token, negligible)) {
        const std::string & piece = model_.piece(other);
        const bool begins_to = value.scanner.in_string() && !piece.empty() &&
                               piece.size() < rest.size() &&
                               rest.compare(0, piece.size(), piece) == 0;
        // The second comparison implies the first, but is slow.
        const bool completes =
            piece.compare(0, rest.size(), rest) == 0 && completed_by(other, value) == text;
        if (other == token || begins_to || completes) alike.push_back(other);
    }
    return alike;
}

// Returns the text of the value if a token completes it, else an empty one.
std::string ValueWriter::completed_by(Token token, const Value & value) const {
    JsonScanner scanner = value.scanner;
    const bool is_end = model_.ends_generation(token);
    const std::string_view piece = is_end ? "" : std::string_view(model_.piece(token));
    const auto status = is_end ? scanner.finish() : scanner.feed(piece);
    if (status != JsonScanner::Status::complete) return "";
    return (value.text + std::string(piece)).substr(0, scanner.length());
}

// Appends the text of a value's last token. Returns why the value ends with it, or Finish::none.
Finish ValueWriter::read(Value & value, Token token, Constraint * constraint) const {
    if (model_.ends_generation(token)) {
        const bool complete = value.scanner.finish() == JsonScanner::Status::complete;
        return complete ? Finish::complete : Finish::end_of_generation;
    }
    const std::string & piece = model_.piece(token);
    const size_t n_before = value.text.size();
    value.text += piece;
    switch (value.scanner.feed(piece)) {
        case JsonScanner::Status::complete:
            value.text.resize(value.scanner.length());
            return Finish::complete;
        case JsonScanner::Status::invalid:
            return Finish::invalid;
        case JsonScanner::Status::incomplete:
            break;
    }
    if (value.scanner.lexeme_begin() >= n_before) value.n_before_lexeme = value.tokens.size();
    if (cut_repetition(value, constraint) || cut_invention(value, piece)) return Finish::repeated;
    const bool is_full = static_cast<int32_t>(value.tokens.size()) >= value.field().max_tokens;
    return is_full ? Finish::truncated : Finish::none;
}

// Cuts a value in which a text, or the items of a list, repeat more often than in the document.
// Keeps one repetition, or no item if the document has none of them. Returns whether it was cut.
bool ValueWriter::cut_repetition(Value & value, Constraint * constraint) const {
    const Field & field = value.field();
    if (!field.choices.empty() || !field.replay.empty()) return false;
    Repetition found = repetition_of(value.tokens, value.n_before_lexeme, longest_period);
    const bool is_in_text = found.period > 0;
    if (!is_in_text) found = repetition_of(value.tokens, 0, longest_period_of_items);
    if (found.period == 0) return false;
    // A constraint that allows no end, as that of a link without a colon, is no reason to go on.
    if (is_in_text && constraint && found.n_tokens < longest_required &&
        !may_stop_repeating(value, found, *constraint))
        return false;
    const size_t first = value.tokens.size() - found.n_tokens;
    const std::string repeated = value.text.substr(n_bytes(value, first));
    const DocumentText document(document_of(value));
    size_t n_kept = first + found.period;
    if (is_in_text) {
        if (document.has_anywhere(repeated)) return false;
    } else {
        const auto scalars = scalars_in(repeated, value.scanner.in_string());
        if (!document.is_exceeded_by(scalars)) return false;
        // The first tokens may complete the previous item.
        const char end = is_in('}', repeated) ? '}' : ',';
        if (document.has_none_of(scalars)) {
            n_kept = first + 1;
        } else {
            const auto completes = [&](Token token) { return is_in(end, model_.piece(token)); };
            while (n_kept < value.tokens.size() && !completes(value.tokens[n_kept - 1])) ++n_kept;
        }
    }
    while (is_inside_a_character(value.text[n_bytes(value, n_kept)])) ++n_kept;
    cut(value, n_kept);
    return true;
}

// Cuts the last texts of a list if the document has none of them, as when a model goes on counting.
// Returns whether they were cut.
bool ValueWriter::cut_invention(Value & value, std::string_view piece) const {
    if (!value.field().copies || !value.field().replay.empty() || !is_in('"', piece)) return false;
    const std::vector<std::string_view> texts = texts_in(value.text);
    if (texts.size() < n_invented_texts) return false;
    const DocumentText document(document_of(value));
    const auto first = texts.end() - n_invented_texts;
    const auto is_there = [&](std::string_view text) { return document.count(text) > 0; };
    if (std::any_of(first, texts.end(), is_there)) return false;
    const auto begin = static_cast<size_t>(first->data() - value.text.data());
    size_t n_kept = value.tokens.size();
    while (n_kept > 1 && n_bytes(value, n_kept - 1) >= begin) --n_kept;
    cut(value, n_kept);
    return true;
}

void ValueWriter::cut(Value & value, size_t n_kept) const {
    value.text.resize(n_bytes(value, n_kept));
    value.tokens.resize(n_kept);
    value.logprobs.resize(n_kept);
    value.log_shares.resize(n_kept);
    value.branches.resize(std::min(value.branches.size(), n_kept));
    value.margins.resize(n_kept);
}

// Returns the number of bytes in the text of a value's first n_tokens tokens.
size_t ValueWriter::n_bytes(const Value & value, size_t n_tokens) const {
    size_t n = value.text.size();
    for (size_t i = n_tokens; i < value.tokens.size(); ++i)
        n -= model_.piece(value.tokens[i]).size();
    return n;
}

// Whether the constraint allows the value to stop repeating; if not, it requires the repetition.
bool ValueWriter::may_stop_repeating(const Value & value, const Repetition & found,
                                     Constraint & constraint) const {
    if (!constraint.allows(value.tokens[value.tokens.size() - found.period])) return false;
    const std::string_view end = value.scanner.in_string() ? "\"" : ",";
    for (Token t = 0; t < model_.n_vocab(); ++t) {
        if (model_.piece(t) == end) return constraint.allows(t);
    }
    return true;
}

// Returns the text of the prompt after the instruction.
std::string ValueWriter::document_of(const Value & value) const {
    const Request & request = *value.request;
    std::string document;
    for (auto i = static_cast<size_t>(request.n_instruction); i < request.prompt.size(); ++i) {
        document += model_.piece(request.prompt[i]);
    }
    return document;
}

}  // namespace hpd
