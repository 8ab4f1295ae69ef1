#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "scheduling/tokens.h"

namespace hpd {

// A token that may come next, and how likely that is.
struct Guess {
    Token token = -1;  // -1: none
    double p = 0.0;
};

// The values that attributes had so far: for each attribute a trie of tokens (an adaptive n-gram
// model, as in ANPD).
//
// Bounded: the least recently used history is dropped if there are too many histories, or too many
// nodes in all, and a history has at most a quarter of the nodes. A node takes some 70 bytes, so by
// default all of them stay within two megabytes, however many documents there are.
class Histories {
public:
    explicit Histories(size_t n_histories_max = 4096, size_t n_nodes_max = 16'000);

    // Adds a whole value of an attribute, with its last token.
    void learn(uint64_t attribute, const std::vector<Token> & value);

    // Returns the most frequent next token of values with this beginning; none if it ends the
    // value, as guessing a last token saves nothing.
    Guess guess(uint64_t attribute, const std::vector<Token> & beginning);

    size_t n_histories() const { return by_use_.size(); }
    size_t n_nodes() const { return n_nodes_; }

    // Recounts everything; throws std::logic_error if counts are inconsistent.
    void check() const;

private:
    // A beginning that values of one attribute have in common.
    struct Node {
        int32_t n_reached = 0;  // how often a value came to it
        int32_t n_continued = 0;  // how often a value continued from it
        uint32_t likeliest = 0;  // the most frequent next node; 0: none
        Token token = -1;  // its last token
    };
    struct History {
        uint64_t attribute;
        std::vector<Node> nodes;  // the first is the empty beginning
        // Maps a node, in the upper half of the key, and a token to the next node. One table for
        // all nodes, as most have a single next one.
        std::unordered_map<uint64_t, uint32_t> edges;
    };

    History * find(uint64_t attribute);
    bool make_node(const History & history);
    void make_room();

    size_t n_histories_max_;
    size_t n_nodes_max_;
    size_t n_nodes_ = 0;
    std::list<History> by_use_;  // the latest used first
    std::unordered_map<uint64_t, std::list<History>::iterator> by_attribute_;
};

}  // namespace hpd
