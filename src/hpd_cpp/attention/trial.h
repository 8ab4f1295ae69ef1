#pragma once

#include <cstdint>
#include <vector>

#include "attention/kernel.h"

namespace hpd {

// One attention node alone, with its operands.
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
    bool taken;              // by the kernel; llama.cpp computed it otherwise
};

// The node in a graph that llama.cpp's CPU backend computes, with the callback that hands it to the
// kernel; nullptr: without. The graph is computed twice, as llama.cpp does with graphs that fit
// the next batch, too: first with a mask that shows each token its first cell only. Throws
// std::runtime_error where that cannot be done, std::logic_error as Attention::finish().
AttentionResult attention_of(const AttentionOperands & operands, const AttentionKernel * kernel,
                             int32_t n_threads);

}  // namespace hpd
