#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hpd {

// Products of weight matrices with the activations of some tokens: what nearly all of the time of a
// model goes into. There are several matrices, as one alone would stay in the processor's caches.
struct Products {
    std::string type;  // of the weights, as ggml names it ("Q8_0"), in capitals or not
    int64_t n_columns = 0;
    int64_t n_rows = 0;
    int32_t n_matrices = 0;
    int64_t n_tokens = 0;
};

struct ProductTime {
    double seconds = 0;  // of all matrices, the fastest of several times
    size_t n_bytes = 0;  // of their weights
};

// Computes the products on the CPU again and again for so many seconds, at least once after a first
// one that does not count. The weights lie where llama.cpp would put them: repacked for the
// processor, or for AMX. Throws InputError for a type that ggml cannot quantise to by itself or a
// number of columns that does not fit its blocks, and DecodeError if a product is wrong.
ProductTime time_products(const Products & products, int32_t n_threads, double seconds);

}  // namespace hpd
