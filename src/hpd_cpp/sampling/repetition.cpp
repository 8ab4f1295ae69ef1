#include "sampling/repetition.h"

#include <algorithm>

namespace hpd {

namespace {

// Returns how many tokens make a repetition: four periods, but fewer long ones.
size_t fewest_tokens(size_t period) {
    return std::max<size_t>(24, std::min(4 * period, 2 * period + 32));
}

}  // namespace

Repetition repetition_of(const std::vector<int32_t> & tokens, size_t first, size_t longest_period) {
    Repetition longest;
    for (size_t period = 1; period <= longest_period; ++period) {
        size_t begin = tokens.size();
        while (begin >= first + period + 1 && tokens[begin - 1] == tokens[begin - 1 - period]) {
            --begin;
        }
        const size_t n = tokens.size() - begin + period;
        if (n >= fewest_tokens(period) && n > longest.n_tokens) longest = {period, n};
    }
    return longest;
}

}  // namespace hpd
