#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hpd {

// Products of weight matrices with the activations of some tokens, which take nearly all of a
// model's time. There are several matrices because one alone would stay in the processor's caches.
struct ProductSizes {
    std::string type;  // ggml's name of the weights' type ("Q8_0"); case is ignored
    int64_t n_columns = 0;
    int64_t n_rows = 0;
    int32_t n_matrices = 0;
    int64_t n_tokens = 0;
};

struct ProductTime {
    double seconds = 0;  // for all matrices, the fastest of several runs
    size_t n_bytes = 0;  // of their weights
};

// Computes the products on the CPU repeatedly for this many seconds, at least once, after a run
// that does not count. The products are those of hpd's kernel, if it is usable and knows the type;
// else the weights are where llama.cpp would put them: repacked for the processor, or for AMX.
// Throws InputError for a type to which ggml cannot quantise without an importance matrix, or if
// the columns do not fill whole blocks of the type, and DecodeError if a product is wrong.
ProductTime time_products(const ProductSizes & sizes, int32_t n_threads, double seconds);

}  // namespace hpd
