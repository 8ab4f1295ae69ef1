#pragma once

#include <ggml.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "attention/kernel.h"

namespace hpd {

// Attention on a CPU for batches in which many sequences share most of what they see.
//
// llama.cpp's kernel takes each query alone in small batches; in large ones it takes 64 tokens
// together, and each of them pays for every cell that any of the others sees. The values of a
// document see the same instruction and the same document, and no other document at all. So here
// the queries of neighbouring tokens, which are those of one document, are multiplied together with
// just the cells that one of them sees.
//
// llama.cpp asks before it computes a graph whether somebody wants to look at its nodes. That is
// when the mask can be read, and when its attention nodes are made into custom ones that call this
// kernel. They run on llama.cpp's own threads; what else is in the graph stays as it is.
class Attention {
public:
    // The kernels that this processor can run, the fastest first.
    static std::vector<AttentionKernel> kernels();

    Attention(const AttentionKernel & kernel, int32_t n_threads);

    // A ggml_backend_sched_eval_callback; `self` is the Attention.
    static bool on_node(ggml_tensor * node, bool ask, void * self);

    // A new batch: forgets masks.
    void begin() { plans_.clear(); }

private:
    // Neighbouring rows: the queries of a token and of the heads that share keys, and so on.
    struct Group {
        int32_t first_row;
        int32_t n_rows;
        int32_t first_cell;  // of the plan's
        int32_t n_cells;
    };

    // What one mask means for a number of query heads to a head of keys.
    struct Plan {
        const void * mask;
        int64_t n_tokens;
        int64_t n_heads_each;
        std::vector<Group> groups;
        std::vector<int32_t> cells;
        std::vector<uint16_t> seen;
        int64_t cost(const Group & g) const;
        int64_t total_cost() const;
    };

    void visit(ggml_tensor * node);
    bool can_take(const ggml_tensor * node) const;
    const Plan * plan_of(const ggml_tensor * node);
    Plan make_plan(const ggml_tensor * node) const;
    static void compute(ggml_tensor * node, int thread, int n_threads, void * self);

    AttentionKernel kernel_;
    int64_t n_threads_;
    std::vector<char> custom_params_;  // of a custom node that calls compute()
    std::vector<Plan> plans_;  // of the graph that is about to be computed
    std::atomic<bool> computed_{false};
};

}  // namespace hpd
