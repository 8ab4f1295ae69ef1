#pragma once

#include <cstddef>
#include <cstdint>

namespace hpd {

// The layouts of quantised weights that the kernel reads. Each is ggml's of the same name.
enum class WeightType : uint8_t { q4_0, q5_0, q8_0, q4_k, q5_k, q6_k };

constexpr bool is_k_type(WeightType type) { return type >= WeightType::q4_k; }

// The weights of a block, which have common scales.
constexpr int32_t block_size(WeightType type) { return is_k_type(type) ? 256 : 32; }

constexpr int32_t product_tile = 128;  // tokens that are multiplied together

// The activations of up to product_tile tokens in 8 bits, as the kernel reads them: numbers of all
// tokens that meet the same weights lie together.
struct TileOfActivations {
    int32_t n_tokens;
    int8_t * numbers;    // (columns / 32, n_tokens, 32)
    float * scales;      // (columns / block_size, n_tokens)
    float * sums;        // (columns / 32, n_tokens): of the numbers, times the scale; of K types
    int32_t * offsets;   // (columns / 16, n_tokens): of their sums, times -32; of other types
                         // (columns / 32, n_tokens), times -8
};

// Returns how many bytes a token's activations take.
constexpr size_t activation_bytes(int64_t n_columns) {
    return static_cast<size_t>(n_columns) / 32 * (32 + 2 * sizeof(float) + 2 * sizeof(int32_t));
}

struct ProductJob {
    WeightType type;
    const char * weights;
    size_t row_bytes;
    int64_t n_columns;  // whole blocks
    int64_t first_row;  // multiples of the kernel's n_rows
    int64_t end_row;
    int64_t next_row;   // whose weights are asked for meanwhile; may lie past the end
    TileOfActivations activations;
    float * out;        // token t, row r at out[t * out_stride + r]
    size_t out_stride;
};

// Products of quantised weights with the activations of some tokens.
struct ProductKernel {
    const char * isa;
    int32_t n_rows;  // of weights, which are multiplied together
    bool (*knows)(WeightType);
    // Quantises a token's activations (n_columns) as token `t` of the tile.
    void (*quantise)(const float * activations, int64_t n_columns, bool for_k_type, int32_t t,
                     const TileOfActivations & tile);
    void (*multiply)(const ProductJob &);
};

// kernel.cpp is compiled once for each of these instruction sets.
ProductKernel products_kernel_avx512();
ProductKernel products_kernel_avx2();

}  // namespace hpd
