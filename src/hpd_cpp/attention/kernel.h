#pragma once

#include <cstddef>
#include <cstdint>

namespace hpd {

// The attention of one group of queries to the cells that any of them sees, for one head of keys
// and values.
struct AttentionJob {
    static constexpr int max_lanes = 16;

    int32_t n_rows;                // queries, at most as many as the kernel has lanes
    const float * q[max_lanes];    // each (d_k)
    float * out[max_lanes];        // each (d_v)
    const int32_t * cells;         // (n_cells), indices of cells in the cache
    const uint16_t * seen;         // (n_cells), bit i: row i sees it
    int32_t n_cells;
    const char * k;                // half precision, cell c at k + c * k_stride
    const char * v;
    size_t k_stride;               // bytes
    size_t v_stride;
    int32_t d_k;                   // multiples of 16
    int32_t d_v;
    float scale;
    float * scratch;               // attention_scratch(d_k, d_v) floats, aligned to 64 bytes
};

constexpr int32_t attention_tile = 48;  // cells whose keys or values are converted at a time

constexpr size_t attention_scratch(int32_t d_k, int32_t d_v) {
    const size_t rows = static_cast<size_t>(d_k) + static_cast<size_t>(d_v) + attention_tile;
    const auto wider = static_cast<size_t>(d_k > d_v ? d_k : d_v);
    return rows * AttentionJob::max_lanes + wider * attention_tile;
}

struct AttentionKernel {
    const char * isa;
    int32_t n_lanes;
    void (*attend)(const AttentionJob &);
};

// kernel.cpp is compiled once for each of these instruction sets.
AttentionKernel attention_kernel_avx512();
AttentionKernel attention_kernel_avx2();
AttentionKernel attention_kernel_neon();

}  // namespace hpd
