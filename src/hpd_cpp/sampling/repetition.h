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

// The longest end of tokens[first:] that goes round at least four times, in turns of at most 16
// tokens and over at least 24 tokens in all.
Repetition repetition_of(const std::vector<int32_t> & tokens, size_t first);

}  // namespace hpd
