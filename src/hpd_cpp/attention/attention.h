#pragma once

#include <ggml-backend.h>
#include <ggml.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "attention/kernel.h"
#include "model/custom_node.h"

namespace hpd {

// The parameters of a flash attention node, as ggml lays them out; guard.cpp checks that it does.
struct AttentionParams {
    float scale;
    float max_bias;
    float softcap;
};

// The parameters of an attention node are kept after those of the custom one.
constexpr size_t n_attention_bytes = 32;
static_assert(n_custom_bytes + n_attention_bytes <= GGML_MAX_OP_PARAMS, "both must fit");

// Attention on a CPU for batches in which many sequences share most of what they see.
//
// llama.cpp's kernel processes each query alone in small batches; in large ones it processes 64
// tokens together, and each pays for every cell that any of them sees. The values of a document see
// the same instruction and document, and no other document. So this kernel multiplies the queries
// of neighbouring tokens, which mostly belong to one document, only with the cells that at least
// one of them sees.
//
// Before llama.cpp computes a graph, it asks a callback whether it wants to look at each node. At
// that time the mask can be read, and attention nodes are replaced with custom ones that call this
// kernel, on llama.cpp's own threads. It is not documented that a callback may change the graph, so
// guard.h tests it first.
class Attention {
public:
    // The kernels that this processor can run, fastest first.
    static std::vector<AttentionKernel> kernels();

    // n_threads: the number of llama.cpp's threads.
    Attention(const AttentionKernel & kernel, int32_t n_threads);

    // Replaces a node that the kernel can compute. Must be called for every node of a graph before
    // it is computed.
    void visit(ggml_tensor * node) noexcept;

    // A ggml_backend_sched_eval_callback that visits each node; `self` is the Attention.
    static bool on_node(ggml_tensor * node, bool ask, void * self) noexcept;

    // Must be called before each batch: forgets masks.
    void begin();

    // Must be called after each computed batch: throws errors that could not be thrown through
    // llama.cpp's code, and std::logic_error if llama.cpp computed nodes without asking about them.
    void finish();

    // Whether all attention of the last graph is of a form that the kernel knows; false if there
    // was none.
    bool fits() const { return n_fitting_ > 0 && n_unfitting_ == 0; }

    // The buffers of the KV cells in the graphs since construction.
    const std::vector<ggml_backend_buffer_t> & cell_buffers() const { return cell_buffers_; }

    uint64_t n_taken() const { return n_taken_; }  // nodes since construction
    uint64_t n_left() const { return n_left_; }  // nodes that llama.cpp computed itself

private:
    // Neighbouring rows: the queries of tokens and of heads that share keys.
    struct Group {
        int32_t first_row;
        int32_t n_rows;
        int32_t first_cell;  // in the vectors of SeenCells
        int32_t n_cells;
    };

    // What one mask means if this many query heads share a head of keys.
    struct SeenCells {
        const void * mask = nullptr;
        int64_t n_heads_per_kv = 0;
        std::vector<Group> groups;
        std::vector<int32_t> cells;
        std::vector<uint16_t> seen;  // bit i: row i of the group sees the cell
        int64_t cost(const Group & g) const;
        int64_t total_cost() const;
    };

    struct FreeAligned {
        void operator()(float * p) const { operator delete[](p, std::align_val_t{64}); }
    };

    void note_cells(const ggml_tensor * node);
    void take(ggml_tensor * node) const;
    void give_back(ggml_tensor * node) const;
    bool fits(const ggml_tensor * node) const;
    bool prepare(const ggml_tensor * node);
    SeenCells read_mask(const ggml_tensor * node) const;
    const SeenCells * seen_cells(const ggml_tensor * node) const;
    void provide_scratch(const ggml_tensor * node);
    static void on_compute(ggml_tensor * node, int thread, int n_threads, void * self) noexcept;
    bool compute(ggml_tensor * node, int thread, int n_threads) const;

    AttentionKernel kernel_;
    int64_t n_threads_;
    std::vector<char> custom_params_;  // of a custom node that calls on_compute()
    std::vector<SeenCells> seen_cells_;  // of the graph that is about to be computed
    std::vector<std::unique_ptr<float[], FreeAligned>> scratch_;  // for each thread
    size_t n_scratch_ = 0;  // floats of each
    std::vector<ggml_backend_buffer_t> cell_buffers_;
    std::exception_ptr error_;  // from preparing a node, which was then left to llama.cpp
    uint64_t n_taken_ = 0;
    uint64_t n_left_ = 0;
    uint64_t n_fitting_ = 0;  // nodes of the last graph
    uint64_t n_unfitting_ = 0;  // likewise
    uint64_t n_expected_ = 0;  // computations by taken nodes since begin()
    std::atomic<uint64_t> n_computed_{0};  // those that took place
    std::atomic<bool> computing_{false};  // whether a node was computed since the last question
    std::atomic<bool> failed_{false};  // a node could not be computed
};

}  // namespace hpd
