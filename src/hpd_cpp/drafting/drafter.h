#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "drafting/histories.h"
#include "drafting/list_guesser.h"
#include "scheduling/request.h"

namespace hpd {

// What guesses need of the vocabulary.
struct VocabularyView {
    const std::vector<std::string> & pieces;
    // The same text less a leading blank, or the token itself: a value's first word follows a
    // quotation mark, but in the document mostly a blank.
    std::vector<Token> without_space;
    std::function<std::vector<Token>(std::string_view)> tokenize;
};

// Drafts the next tokens of values, which the model verifies in the same batch: accepted tokens are
// those that the model would have chosen, so only the number of steps changes.
//
// There are three sources. Choices: a token that all remaining choices share is certain. The
// document: values are nearly always copied from it, so what follows the value's last tokens there
// is a good guess (prompt lookup), and the items of a list are there in order. History: earlier
// answers for the same attribute, including null. The probabilities of guesses are measured
// continuously, and tokens are added to a draft while the whole draft is likely enough to pay: a
// guess costs a token and a row of logits; a right one saves the same in a later batch, and the
// value's share of that batch's fixed cost.
class Drafter {
public:
    // `batch_worth` is the fixed cost of a batch, in tokens with their rows of logits.
    // Unless it `learns` from other values, a value's guesses depend on its document alone.
    Drafter(VocabularyView vocabulary, double batch_worth, bool learns);

    // Sets how many values share the next batches: the fewer, the more a saved batch is worth.
    void share_batches(int32_t n_values);

    // Appends up to n_max guesses to value.draft; fewer, or none, if more would not pay.
    void draft(Value & value, int32_t n_max);

    // Learns how many guesses of value.draft were right.
    void observe(const Value & value, int32_t n_accepted);

    // Learns a finished value, for later documents.
    void learn(const Value & value);

    // Learns a possible value of the attribute, with its last token.
    void seed(uint64_t attribute, const std::vector<Token> & tokens);

    // For tests: fixes the least probability of a draft, however many values share a batch.
    void fix_least_probability(double p) {
        least_probability_ = p;
        is_fixed_ = true;
    }

private:
    // How often guesses of one kind were right, starting from a prior.
    struct Rate {
        double n_right;
        double n;
        double value() const { return n_right / n; }
        void add(bool right);
    };

    struct SourcedGuess : Guess {
        uint8_t source = unmeasured;
    };

    SourcedGuess from_document(const Value & value, const std::vector<Token> & text) const;
    std::vector<SourcedGuess> from_list(const ListGuesser & list) const;
    std::string document_of(const Request & request) const;
    static bool is_list(const Value & value);
    static uint64_t attribute_of(const Field & field);

    static constexpr size_t n_match_max = 3;  // longest suffix looked up
    static constexpr uint8_t unmeasured = 0;  // choices, history; matches of k tokens are source k
    static constexpr uint8_t of_list = n_match_max + 1;  // plus the kind of guess in a list

    VocabularyView vocabulary_;
    double batch_worth_;
    bool learns_;
    bool is_fixed_;  // whether least_probability_ never changes
    Histories histories_;
    std::array<Rate, n_match_max + 1 + ListGuesser::n_kinds> rates_;
    double least_probability_;
};

}  // namespace hpd
