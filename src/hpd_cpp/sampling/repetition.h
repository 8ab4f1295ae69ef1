#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpd {

// The end of a text that repeats itself.
struct Repetition {
    size_t period = 0;  // in tokens; 0: the text does not repeat itself
    size_t n_tokens = 0;  // of all periods together, the last maybe incomplete
};

// Returns the longest end of tokens[first:] that repeats itself with a period of at most
// `longest_period` tokens. It has at least 24 tokens and four periods, or, if the period is longer
// than 16 tokens, two periods and 32 tokens.
Repetition repetition_of(const std::vector<int32_t> & tokens, size_t first, size_t longest_period);

}  // namespace hpd
