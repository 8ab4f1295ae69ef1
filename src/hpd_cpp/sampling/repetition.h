#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpd {

// The end of a text that repeats itself.
struct Repetition {
    size_t period = 0;  // tokens of one turn; 0: the text does not repeat itself
    size_t n_tokens = 0;  // of all turns together, the last of which may have only begun
};

// The longest end of tokens[first:] that repeats a turn of at most `longest_period` tokens four
// times, or a turn of more than 16 tokens for 32 tokens more than twice; at least 24 tokens.
Repetition repetition_of(const std::vector<int32_t> & tokens, size_t first, size_t longest_period);

}  // namespace hpd
