#include "drafting/drafter.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "errors.h"
#include "sampling/choices.h"

namespace hpd {

namespace {

constexpr double rate_memory = 0.95;  // a rate keeps this share of its counts with each guess

// Used if guesses must not depend on what else is decoded.
constexpr double lone_least_probability = 0.4;

constexpr size_t n_list_bytes = 256;  // of a list, guessed at once

constexpr size_t n_learnt_max = 256;  // tokens of a value

}  // namespace

void Drafter::Rate::add(bool right) {
    n_right = n_right * rate_memory + (right ? 1 : 0);
    n = n * rate_memory + 1;
}

Drafter::Drafter(VocabularyView vocabulary, double batch_worth, bool learns)
    : vocabulary_(std::move(vocabulary)),
      batch_worth_(batch_worth),
      learns_(learns),
      is_fixed_(!learns),
      // Priors: of no source, of matches (longer ones are better), and of the kinds of guesses in
      // lists.
      rates_{{{7, 10}, {3, 10}, {5, 10}, {6, 10}, {9, 10}, {7, 10}, {8, 10}, {8, 10}}},
      least_probability_(lone_least_probability) {}

void Drafter::share_batches(int32_t n_values) {
    if (!is_fixed_) least_probability_ = n_values / (n_values + batch_worth_);
}

void Drafter::draft(Value & value, int32_t n_max) {
    const Field & field = value.field();
    const uint64_t attribute = attribute_of(field);
    const bool is_free = field.choices.empty();
    ChoicesLeft left(field.choices);
    for (const Token t : value.tokens) left.accept(t);
    const auto allowed = [&](const SourcedGuess & guess) {
        return guess.token >= 0 && (is_free || left.allows(guess.token));
    };
    std::vector<Token> text = value.tokens;
    std::optional<ListGuesser> list;
    std::vector<SourcedGuess> next_of_list;  // in reverse
    if (is_list(value)) {
        if (!value.list) {
            value.list = std::make_shared<ListGuesser>(document_of(*value.request));
        }
        value.list->push(std::string_view(value.text).substr(value.list->n_bytes()));
        list = *value.list;
    }
    double p = 1.0;
    while (static_cast<int32_t>(value.draft.size()) < n_max) {
        SourcedGuess best{{left.agreed(), 1.0}, unmeasured};
        if (list) {
            if (next_of_list.empty()) next_of_list = from_list(*list);
            if (!next_of_list.empty()) {
                best = next_of_list.back();
                next_of_list.pop_back();
            }
        }
        if (best.token < 0) {
            best = {histories_.guess(attribute, text), unmeasured};
            const bool is_copied = !list || list->is_lost();
            const SourcedGuess copied = is_copied ? from_document(value, text) : SourcedGuess();
            const bool is_better = !allowed(best) || copied.p > best.p;
            if (is_better && allowed(copied)) best = copied;
        }
        p *= best.p;
        if (!allowed(best) || p < least_probability_) break;
        left.accept(best.token);
        if (!is_free && left.ended()) break;  // a value's last token needs no guess
        value.draft.push_back(best.token);
        value.draft_sources.push_back(best.source);
        text.push_back(best.token);
        if (list) list->push(vocabulary_.pieces[static_cast<size_t>(best.token)]);
    }
}

// Returns the tokens with which a list will probably continue, the next one last.
std::vector<Drafter::SourcedGuess> Drafter::from_list(const ListGuesser & list) const {
    const ListGuesser::Continuation guess = list.guess(n_list_bytes);
    std::vector<Token> tokens;
    try {
        tokens = vocabulary_.tokenize(guess.text);
    } catch (const InputError &) {
        return {};  // it begins inside a character
    }
    std::vector<SourcedGuess> guesses;
    size_t begin = 0;
    for (Token token : tokens) {
        const auto is_next = [&] {
            const std::string & piece = vocabulary_.pieces[static_cast<size_t>(token)];
            return !piece.empty() && guess.text.compare(begin, piece.size(), piece) == 0;
        };
        // Some vocabularies add a blank to the beginning of a text.
        if (!is_next()) token = vocabulary_.without_space[static_cast<size_t>(token)];
        if (!is_next()) break;
        const auto kind = static_cast<uint8_t>(guess.kinds[begin]);
        const auto source = static_cast<uint8_t>(of_list + kind);
        guesses.push_back({{token, rates_[source].value()}, source});
        begin += vocabulary_.pieces[static_cast<size_t>(token)].size();
    }
    // The last token may be another one if the text went on.
    if (guesses.size() > 1 && guess.text.size() >= n_list_bytes) guesses.pop_back();
    std::reverse(guesses.begin(), guesses.end());
    return guesses;
}

std::string Drafter::document_of(const Request & request) const {
    std::string text;
    for (auto i = static_cast<size_t>(request.n_instruction); i < request.prompt.size(); ++i) {
        text += vocabulary_.pieces[static_cast<size_t>(request.prompt[i])];
    }
    return text;
}

// Whether the value so far is a list.
bool Drafter::is_list(const Value & value) {
    const size_t first = value.text.find_first_not_of(' ');
    return first != std::string::npos && value.text[first] == '[';
}

// Returns what follows the value's last tokens at their first longest match in the documents.
Drafter::SourcedGuess Drafter::from_document(const Value & value,
                                             const std::vector<Token> & text) const {
    // The first token is the opening quote: there is nothing to look up before the second.
    if (text.size() < 2) return {};
    const std::vector<Token> & prompt = value.request->prompt;
    // A whole answer, which has no key, also repeats the attributes' names from the instruction.
    const bool whole = value.field().key.empty();
    const auto begin = whole ? size_t{0} : static_cast<size_t>(value.request->n_instruction);
    const auto same = [&](size_t i_prompt, size_t i_text) {
        const Token t = prompt[i_prompt];
        return t == text[i_text] ||
               (i_text == 1 && vocabulary_.without_space[static_cast<size_t>(t)] == text[1]);
    };
    const size_t n_text = std::min(n_match_max, text.size() - 1);
    size_t n_best = 0;
    size_t best = 0;
    for (size_t i = begin; i + 1 < prompt.size(); ++i) {
        size_t n = 0;
        while (n < n_text && i >= begin + n && same(i - n, text.size() - 1 - n)) ++n;
        if (n > n_best) {
            n_best = n;
            best = i + 1;
            if (n == n_text) break;  // the first match, as values are mostly early in a document
        }
    }
    if (n_best == 0) return {};
    return {{prompt[best], rates_[n_best].value()}, static_cast<uint8_t>(n_best)};
}

void Drafter::observe(const Value & value, int32_t n_accepted) {
    if (!learns_) return;
    for (size_t i = 0; i < value.draft_sources.size(); ++i) {
        const bool right = static_cast<int32_t>(i) < n_accepted;
        if (value.draft_sources[i] != unmeasured) rates_[value.draft_sources[i]].add(right);
        if (!right) break;  // guesses after a wrong token say nothing
    }
}

void Drafter::learn(const Value & value) {
    const Field & field = value.field();
    if (field.key.empty() && field.attribute == 0) return;  // a whole answer does not come again
    if (value.tokens.size() > n_learnt_max) return;  // nor does a long list
    seed(attribute_of(field), value.tokens);
}

void Drafter::seed(uint64_t attribute, const std::vector<Token> & tokens) {
    if (learns_) histories_.learn(attribute, tokens);
}

uint64_t Drafter::attribute_of(const Field & field) {
    return field.attribute != 0 ? field.attribute : hash_tokens(field.key);
}

}  // namespace hpd
