#include "model/padding.h"

#include <algorithm>

namespace hpd {

namespace {

int32_t missing(int32_t n, int32_t step) { return (step - n % step) % step; }

}  // namespace

Padding padding_of(int32_t n_tokens, int32_t n_rows, int32_t n_seqs, int32_t step) {
    if (step <= 0) return {};
    Padding padding;
    padding.n_rows = missing(n_rows, step);
    padding.n_seqs = missing(n_seqs, step);
    const int32_t least = std::max(padding.n_rows, std::min(padding.n_seqs, 1));
    padding.n_tokens = least + missing(n_tokens + least, step);
    // Tokens need a sequence.
    if (padding.n_tokens > 0 && padding.n_seqs == 0) padding.n_seqs = step;
    return padding;
}

}  // namespace hpd
