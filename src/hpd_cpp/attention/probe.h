#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hpd {

// One attention node alone, with its operands: for tests.
struct AttentionOperands {
    int32_t n_tokens;
    int32_t n_cells;
    int32_t n_heads;     // of queries
    int32_t n_kv_heads;  // of keys and values
    int32_t d_k;
    int32_t d_v;
    float scale;
    std::vector<float> q;         // (n_tokens, n_heads, d_k)
    std::vector<float> k;         // (n_cells, n_kv_heads, d_k), kept in half precision
    std::vector<float> v;         // (n_cells, n_kv_heads, d_v), likewise
    std::vector<float> mask;      // (n_tokens, n_cells), likewise: added to the scores
};

// (n_tokens, n_heads, d_v), computed by llama.cpp's CPU backend, with the kernel of hpd's for this
// instruction set, or with its own if that is empty.
// Throws std::invalid_argument if hpd has no such kernel, or it cannot compute this.
std::vector<float> attention_of(const AttentionOperands & operands, const std::string & isa,
                                int32_t n_threads);

}  // namespace hpd
