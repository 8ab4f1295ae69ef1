#include "sampling/repetition.h"

#include <algorithm>

namespace hpd {

namespace {

constexpr size_t fewest_turns = 4;
constexpr size_t fewest_tokens = 24;

}  // namespace

Repetition repetition_of(const std::vector<int32_t> & tokens, size_t first, size_t longest_period) {
    Repetition longest;
    for (size_t period = 1; period <= longest_period; ++period) {
        size_t begin = tokens.size();
        while (begin >= first + period + 1 && tokens[begin - 1] == tokens[begin - 1 - period]) {
            --begin;
        }
        const size_t n = tokens.size() - begin + period;
        const bool goes_round = n >= std::max(fewest_tokens, fewest_turns * period);
        if (goes_round && n > longest.n_tokens) longest = {period, n};
    }
    return longest;
}

}  // namespace hpd
