#pragma once

#include <llama-cpp.h>

#include <cstdint>
#include <vector>

#include "sampling/top_row.h"

namespace hpd {

// Rows of logits that stay where llama.cpp has computed them: for all rows of a batch together one
// top-k and one softmax are part of its graph, and only their results are copied. A whole row is
// copied where more is asked.
//
// llama.cpp's backend samplers are the door to its graph: each sequence needs one, or every row is
// copied. None of these hands anything back to llama.cpp, so nothing is copied but what is read
// here.
class DeviceRows {
public:
    DeviceRows(uint32_t n_seq_max, int32_t n_vocab);
    DeviceRows(const DeviceRows &) = delete;
    DeviceRows & operator=(const DeviceRows &) = delete;

    // Must be called before the context is made, which this must outlive.
    void install(llama_context_params & params);
    static void remove(llama_context & context, uint32_t n_seq_max);

    // After the context is made: whether the device of the output layer can compute what is added
    // to the graph, and whether it has memory of its own.
    bool is_supported() const { return is_supported_; }
    bool is_on_gpu() const { return is_on_gpu_; }

    // The number of rows that the last graph has computed. A batch of several graphs has lost the
    // rows of all but the last.
    size_t n_rows() const;

    // Of the last batch, which must be computed.
    std::vector<TopRow> read() const;
    std::vector<float> copy(size_t row) const;

private:
    static bool on_init(llama_sampler * sampler, ggml_backend_buffer_type_t type, uint32_t n_rows);
    static void on_reset(llama_sampler * sampler);
    static void on_build(llama_sampler * sampler, ggml_context * context, ggml_cgraph * graph,
                         llama_sampler_data * data);
    void build(ggml_context * context, ggml_cgraph * graph, ggml_tensor * rows);
    static llama_sampler_i interface_;

    int32_t n_vocab_;
    std::vector<llama_sampler_ptr> chains_;
    std::vector<llama_sampler_seq_config> configs_;
    bool is_supported_ = false;  // llama.cpp does not ask where it splits all tensors
    bool is_on_gpu_ = false;

    // Nodes of the graph that was built last, which is the one that llama.cpp computes.
    ggml_tensor * rows_ = nullptr;  // (n_vocab, n_rows)
    ggml_tensor * tokens_ = nullptr;  // (n_top, n_rows)
    ggml_tensor * logits_ = nullptr;  // (1, n_top, n_rows)
    ggml_tensor * probabilities_ = nullptr;  // likewise
};

}  // namespace hpd
