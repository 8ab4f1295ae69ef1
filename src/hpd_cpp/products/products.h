#pragma once

#include <ggml.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "products/kernel.h"

namespace hpd {

// Products of weights and activations on a CPU, which take nearly all of a model's time.
//
// llama.cpp's kernels for quantised weights are made for one token or for hundreds: with the 2 to
// 60 tokens of a batch of values, they unpack the weights for each token, or first for a large
// tile. This kernel unpacks them once in registers, and asks for the next rows in time. It reads
// weights as they are in the file, so they must not be repacked while loading (Model does this).
//
// Nodes are replaced with custom ones while llama.cpp asks about them, as by Attention.
class Products {
public:
    // The kernels that this processor can run, fastest first.
    static std::vector<ProductKernel> kernels();

    explicit Products(const ProductKernel & kernel);

    // Replaces a node that the kernel can compute. Must be called for every node of a graph before
    // it is computed.
    void visit(ggml_tensor * node) noexcept;

    // Must be called after each computed batch. Throws std::logic_error if llama.cpp computed nodes
    // without asking about them.
    void finish();

    uint64_t n_taken() const { return n_taken_; }  // nodes since construction

private:
    // The activations that the scratch memory holds.
    struct Input {
        const ggml_tensor * activations = nullptr;
        bool for_k_type = false;
        bool operator==(const Input & other) const {
            return activations == other.activations && for_k_type == other.for_k_type;
        }
    };
    struct FreeAligned {
        void operator()(char * p) const { operator delete[](p, std::align_val_t{64}); }
    };

    bool fits(const ggml_tensor * node) const;
    void provide_scratch(const ggml_tensor * node);
    TileOfActivations tile(int64_t first_token, int64_t n_tokens, int64_t n_columns) const;
    static void on_compute(ggml_tensor * node, int thread, int n_threads, void * self) noexcept;
    void compute(ggml_tensor * node, int thread, int n_threads);
    void quantise(const ggml_tensor * activations, bool for_k_type, int thread, int n_threads);
    void wait_for_all(const Input & input, int n_threads);

    ProductKernel kernel_;
    std::vector<char> custom_params_;
    std::unique_ptr<char[], FreeAligned> scratch_;
    size_t n_scratch_ = 0;
    Input input_;  // changes only while all threads wait
    std::atomic<int64_t> next_row_{0};  // of the current node, that no thread has taken yet
    std::atomic<int> n_waiting_{0};
    std::atomic<uint32_t> n_meetings_{0};  // of all threads
    std::atomic<bool> failed_{false};
    uint64_t n_taken_ = 0;
};

// Returns ggml's type of weights as the kernel's; nothing if it does not know it.
std::optional<WeightType> weight_type(const ProductKernel & kernel, ggml_type type);

}  // namespace hpd
