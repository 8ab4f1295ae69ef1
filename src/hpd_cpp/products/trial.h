#pragma once

#include <ggml.h>

#include <cstdint>
#include <vector>

#include "products/kernel.h"

namespace hpd {

// The operands of a single product node.
struct ProductOperands {
    ggml_type type;  // of the weights
    int64_t n_columns;
    int64_t n_rows;
    int64_t n_tokens;
    std::vector<float> weights;      // (n_rows, n_columns), before they are quantised
    std::vector<float> activations;  // (n_tokens, n_columns)
};

struct ProductResult {
    std::vector<float> out;      // (n_tokens, n_rows)
    std::vector<float> weights;  // (n_rows, n_columns), as they are after quantising
    bool taken;                  // whether the kernel computed it, and not ggml
};

// Computes the node in a graph on ggml's CPU backend, with the kernel, or without if it is nullptr.
// The graph is computed twice, first with activations of zero, as llama.cpp reuses graphs. Throws
// std::runtime_error if that fails, and std::logic_error as Products::finish() does.
ProductResult product_of(const ProductOperands & operands, const ProductKernel * kernel,
                         int32_t n_threads);

}  // namespace hpd
