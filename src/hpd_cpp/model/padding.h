#pragma once

#include <cstdint>

namespace hpd {

// What fills a batch up.
struct Padding {
    int32_t n_tokens = 0;
    int32_t n_rows = 0;  // of them with a row of logits; the first ones
    int32_t n_seqs = 0;  // the sequences that the first of them belongs to
};

// llama.cpp uses a graph again if the next batch has as many tokens, rows and sequences, and a GPU
// can start such a graph as a whole. Batches of values are hardly ever alike, so each of the three
// is filled up to a multiple of `step`. A step of 0 leaves batches alone.
Padding padding_of(int32_t n_tokens, int32_t n_rows, int32_t n_seqs, int32_t step);

// The most tokens that padding_of() adds.
constexpr int32_t most_padding(int32_t step) { return step > 0 ? 2 * step - 1 : 0; }

}  // namespace hpd
