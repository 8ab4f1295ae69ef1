#pragma once

#include <cstdint>
#include <vector>

#include "attention/kernel.h"

namespace hpd {

// The operands of a single attention node.
struct AttentionOperands {
    int32_t n_tokens;
    int32_t n_cells;
    int32_t n_heads;     // of queries
    int32_t n_kv_heads;  // of keys and values
    int32_t d_k;
    int32_t d_v;
    float scale;
    std::vector<float> q;     // (n_tokens, n_heads, d_k)
    std::vector<float> k;     // (n_cells, n_kv_heads, d_k), kept in half precision
    std::vector<float> v;     // (n_cells, n_kv_heads, d_v), likewise
    std::vector<float> mask;  // (n_tokens, n_cells), likewise: added to the scores
};

struct AttentionResult {
    std::vector<float> out;  // (n_tokens, n_heads, d_v)
    bool taken;              // whether the kernel computed it, and not llama.cpp
};

// Computes the node in a graph on llama.cpp's CPU backend, with the callback that hands it to the
// kernel, or without if the kernel is nullptr. The graph is computed twice, as llama.cpp reuses
// graphs that fit the next batch; the first time, the mask shows each token only the first cell.
// Throws std::runtime_error if that fails, and std::logic_error as Attention::finish() does.
AttentionResult attention_of(const AttentionOperands & operands, const AttentionKernel * kernel,
                             int32_t n_threads);

}  // namespace hpd
