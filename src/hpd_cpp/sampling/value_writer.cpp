#include "sampling/value_writer.h"

#include <algorithm>
#include <stdexcept>

namespace hpd {

namespace {

// Branches with less than this share of the chosen token's probability are left out.
constexpr double left_out = 1e-5;

// Above this log-probability a token's share is not computed: 1 - p is below a thousandth.
constexpr float nearly_certain = -1e-3f;

// The id of a value's stream of random numbers, which depends only on what is asked.
uint64_t stream_of(const Value & value) {
    const uint64_t prompt = hash_tokens(value.request->request.prompt);
    return hash_step(hash_tokens(value.field().key, prompt), value.index);
}

bool is_in(char c, std::string_view some) { return some.find(c) != std::string_view::npos; }

// Removes blanks and escapes, in which a value and its document may differ.
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

// The tokens that count next, each with its share; computed even if one token is nearly certain, as
// the rest may be all the probability of other values.
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
    if (choice.token < 0) {  // the constraint leaves nothing
        value.finish = Finish::invalid;
    } else {
        const Likelihood likelihood = likelihood_of(choice, value, row, constraint);
        value.log_shares.push_back(likelihood.log_share);
        if (constraint && value.field().tells_branches)
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

// nullptr if it has none.
Constraint * ValueWriter::constraint_of(const Value & value) {
    if (value.tokens.empty()) {
        if (auto made = constraints_.make(value.field())) under_way_[&value] = std::move(made);
    }
    const auto it = under_way_.find(&value);
    return it == under_way_.end() ? nullptr : it->second.get();
}

Choice ValueWriter::choose(const Value & value, const LogitRow & row,
                           Constraint * constraint) const {
    const size_t n = value.tokens.size();
    // A known answer is used only after the logits are computed and read as usual. A constraint
    // checks its token, which costs as much as with a model that obeys.
    if (n < value.field().replay.size()) {
        Choice choice = choose_greedy(row);
        choice.token = value.field().replay[n];
        if (constraint && !constraint->allows(choice.token))
            throw std::invalid_argument(
                "a known answer is not one that its field's grammar allows");
        return choice;
    }
    TokenFilter allowed;
    if (constraint) allowed = [constraint](Token t) { return constraint->allows(t); };
    if (options_.temperature > 0.0f) {
        const double uniform = uniform_at(options_.seed, stream_of(value), n);
        return choose_random(row, options_, uniform, allowed);
    }
    return constraint ? choose_greedy(row, allowed) : choose_greedy(row);
}

// A token that completes the value counts together with all that complete it in the same way:
// models close a string together with what follows (`"}`, `",`), so a bare quotation mark is
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

// The tokens with which the value would be the same: the token itself and, if it completes the
// value, all that complete it with the same text, or begin to (`)` may become `)"}`), whatever
// follows in them. The total probability of those left out is below a thousandth of the token's.
std::vector<Token> ValueWriter::completing_alike(Token token, const Value & value,
                                                 const LogitRow & row) const {
    const std::string text = completed_by(token, value);
    if (text.empty()) return {token};
    const auto begins_to = [&](Token other) {
        const std::string piece = model_.piece(other);
        const std::string begun = value.text + piece;
        return !piece.empty() && begun.size() < text.size() &&
               text.compare(0, begun.size(), begun) == 0;
    };
    std::vector<Token> alike;
    for (const Token other : tokens_beside(row, token, negligible)) {
        const bool is_alike = other == token || completed_by(other, value) == text ||
                              (value.scanner.in_string() && begins_to(other));
        if (is_alike) alike.push_back(other);
    }
    return alike;
}

// The text of the value if a token completes it, else empty.
std::string ValueWriter::completed_by(Token token, const Value & value) const {
    JsonScanner scanner = value.scanner;
    const bool is_end = model_.ends_generation(token);
    const std::string piece = is_end ? "" : model_.piece(token);
    const auto status = is_end ? scanner.finish() : scanner.feed(piece);
    if (status != JsonScanner::Status::complete) return "";
    return (value.text + piece).substr(0, scanner.length());
}

// Appends the text of a value's last token; returns why the value ends with it, if it does.
Finish ValueWriter::read(Value & value, Token token, Constraint * constraint) const {
    if (model_.ends_generation(token)) {
        const bool complete = value.scanner.finish() == JsonScanner::Status::complete;
        return complete ? Finish::complete : Finish::end_of_generation;
    }
    const std::string piece = model_.piece(token);
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
    if (cut_repetition(value, constraint)) return Finish::repeated;
    const bool is_full = static_cast<int32_t>(value.tokens.size()) >= value.field().max_tokens;
    return is_full ? Finish::truncated : Finish::none;
}

// Returns whether a value repeats itself more often than its document; then only one repetition is
// kept, which may be in the document.
bool ValueWriter::cut_repetition(Value & value, Constraint * constraint) const {
    const Field & field = value.field();
    if (!field.choices.empty() || !field.replay.empty()) return false;
    const Repetition found = repetition_of(value.tokens, value.n_before_lexeme);
    if (found.period == 0) return false;
    if (constraint && !is_free_to_go_round(value, found, *constraint)) return false;
    const auto begin_of = [&](size_t token) {
        size_t n_bytes = value.text.size();
        for (size_t i = token; i < value.tokens.size(); ++i)
            n_bytes -= model_.piece(value.tokens[i]).size();
        return n_bytes;
    };
    const size_t first = value.tokens.size() - found.n_tokens;
    if (is_stated(value, value.text.substr(begin_of(first)))) return false;
    size_t n_kept = first + found.period;
    while (is_inside_a_character(value.text[begin_of(n_kept)])) ++n_kept;
    value.text.resize(begin_of(n_kept));
    value.tokens.resize(n_kept);
    value.logprobs.resize(n_kept);
    value.log_shares.resize(n_kept);
    value.branches.resize(std::min(value.branches.size(), n_kept));
    value.margins.resize(n_kept);
    return true;
}

// Whether the constraint allows the value to stop repeating; else it demands the repetition.
bool ValueWriter::is_free_to_go_round(const Value & value, const Repetition & found,
                                      Constraint & constraint) const {
    if (!constraint.allows(value.tokens[value.tokens.size() - found.period])) return false;
    const std::string_view end = value.scanner.in_string() ? "\"" : ",";
    for (Token t = 0; t < model_.n_vocab(); ++t) {
        if (model_.piece(t) == end) return constraint.allows(t);
    }
    return true;
}

bool ValueWriter::is_stated(const Value & value, std::string_view text) const {
    const Request & request = value.request->request;
    std::string document;
    for (auto i = static_cast<size_t>(request.n_instruction); i < request.prompt.size(); ++i) {
        document += model_.piece(request.prompt[i]);
    }
    return bare(document).find(bare(text)) != std::string::npos;
}

}  // namespace hpd
