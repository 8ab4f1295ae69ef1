#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sampling/sampling.h"

namespace hpd {

// The likeliest tokens of a row of logits, and what a sum over the whole row tells.
struct TopRow {
    std::vector<int32_t> tokens;  // likeliest first; of equals, the lowest id first
    std::vector<float> logits;    // of these
    double log_sum = 0.0;         // as of LogitRow
    bool is_whole = false;        // the vocabulary has no other tokens
};

// The likeliest tokens of a row in any order, their logits, and the probability of the likeliest
// one. Throws DecodeError if they are not finite.
TopRow top_row(const int32_t * tokens, const float * logits, size_t n, float best_probability,
               int32_t n_vocab);

// The choice that the whole row gives; nothing where these tokens do not tell.
std::optional<Choice> choose_greedy(const TopRow & row);
std::optional<Choice> choose_greedy(const TopRow & row, const TokenFilter & allowed);

}  // namespace hpd
