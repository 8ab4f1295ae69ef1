#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "scheduling/sequence.h"

namespace hpd {

// What a batch is made of: prompts and keys to be read, or values only.
enum class BatchKind : uint8_t { reading, values };

// What a batch costs, learnt from the batches decoded: fixed + per_token * n_tokens, for each kind
// of its own. They differ: a value's token has a row of logits, and with llama.cpp's attention on a
// CPU it pays alone for what the tokens of one document share.
//
// Whatever else the machine does only makes batches slower, so the fastest of each size counts.
class BatchCost {
public:
    void observe(BatchKind kind, int32_t n_tokens, double seconds);

    // How likely a guess must be to be worth its place, where n_values values share the steps.
    //
    // A guess costs a value's token, wherever it rides: it has a row of logits. A right one saves
    // as much in a later batch, and the value's share of the fixed cost of the step that it makes
    // unnecessary.
    double least_probability(int32_t n_values) const;

private:
    struct Fastest {
        double n_tokens = 0.0;
        double seconds = 0.0;  // 0: no batch of this size yet
    };
    struct Line {
        double fixed;
        double per_token;
    };
    using Records = std::array<Fastest, 16>;  // by the number of bits of n_tokens

    // A least-squares line through the records; false if there are not two of them.
    static bool fit(const Records & records, Line & line);

    std::array<Records, 2> records_;
};

// Guesses how values go on, to be verified by the model in the same batch: what is accepted is
// what the model would have said, so only the number of steps changes.
//
// Two sources. The document: a value is nearly always copied from it, so what follows there the
// last tokens of the value is a good guess (prompt lookup). The past: what earlier documents
// answered for the same attribute, including whether they had a value at all (an n-gram that
// adapts, as in ANPD). Each source's guesses come with a probability, measured as it goes, and
// are made as long as the whole guess is likely enough to pay.
class Drafter {
public:
    // `without_space[t]`: the token that is t's text less its leading blank, or t itself. A value's
    // first word follows a quote, in the document it mostly follows a blank.
    explicit Drafter(std::vector<Token> without_space);

    // Appends up to n_max guesses to value.draft; fewer, or none, where they would not pay.
    void draft(Value & value, int32_t n_max);

    // How many of value.draft were right.
    void observe(const Value & value, int32_t n_accepted);

    // A finished value, for later documents.
    void learn(const Value & value);

    void set_least_probability(double p) { least_probability_ = p; }

private:
    // Tokens seen at one place in the values of one attribute.
    struct Node {
        int32_t n_reached = 0;
        int32_t n = 0;  // how often a value went on from here
        std::unordered_map<Token, uint32_t> next;  // token -> index of its node
        Token likeliest = -1;  // and how often it came
        int32_t n_likeliest = 0;
    };
    // Values of one attribute as a trie; node 0 is the start of the value.
    struct History {
        std::vector<Node> nodes{1};
    };
    struct Guess {
        Token token = -1;
        double p = 0.0;
        uint8_t source = 0;
    };
    // How often guesses of one kind were right, starting from a prior.
    struct Rate {
        double n_right;
        double n;
        double value() const { return n_right / n; }
        void add(bool right);
    };

    Guess from_document(const Value & value, const std::vector<Token> & text) const;
    Guess from_history(const History * history, const std::vector<Token> & text) const;
    static uint64_t attribute_of(const Value & value);

    static constexpr size_t n_match_max = 3;  // longest suffix looked up
    static constexpr uint8_t history_source = 0;  // lookups of k tokens are source k

    std::vector<Token> without_space_;
    std::unordered_map<uint64_t, History> histories_;
    std::array<Rate, n_match_max + 1> rates_;
    double least_probability_ = 0.5;
};

}  // namespace hpd
