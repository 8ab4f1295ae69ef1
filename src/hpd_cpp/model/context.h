#pragma once

#include <llama-cpp.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "attention/attention.h"
#include "model/model.h"
#include "options.h"
#include "products/products.h"
#include "sampling/sampling.h"
#include "scheduling/batch_plan.h"
#include "scheduling/cache_ops.h"

namespace hpd {

enum class DecodeStatus {
    ok,
    full,     // the batch found no room in the cache; nothing was changed
    aborted,  // stopped in the middle; the cache may hold part of the batch
};

// llama.cpp's functions that can fail in decoding. Tests replace them with ones that do.
struct FallibleCalls {
    decltype(&llama_decode) decode = llama_decode;
    decltype(&llama_memory_seq_rm) remove = llama_memory_seq_rm;
    decltype(&llama_get_logits) get_logits = llama_get_logits;
};

// A llama.cpp context: the only place that calls its decode and memory functions.
//
// llama.cpp silently accepts some calls that lead to wrong values. Here they throw
// std::logic_error, as each is a bug in the scheduler.
class Context {
public:
    Context(const Model & model, const EngineOptions & options);

    // Copies the cells of `from` before `position` to `to`, which must be empty: copying into a
    // sequence that has cells would merge the two. This is only bookkeeping: the cells are shared.
    void fork(SeqId from, SeqId to, int32_t position);

    void drop(SeqId seq);

    // Removes the cells of `seq` from `position` on. Throws std::logic_error for recurrent models,
    // which cannot do this.
    void trim(SeqId seq, int32_t position);

    void clear();

    void apply(const std::vector<CacheOp> & ops);

    // Every token must directly follow its sequences' cells. Returns when the batch is computed.
    // Throws DecodeError.
    DecodeStatus decode(const std::vector<BatchToken> & batch);

    // Returns the rows of logits of the last batch's output tokens, valid until the next decode.
    // Throws DecodeError.
    std::vector<LogitRow> rows();

    int32_t n_past(SeqId seq) const;  // cells that the sequence holds
    uint32_t n_cells() const { return llama_n_ctx(context_.get()); }
    uint32_t n_batch() const { return llama_n_batch(context_.get()); }
    uint32_t n_rows_max() const { return n_rows_max_; }
    uint32_t n_seq_max() const { return n_seq_max_; }
    int32_t n_threads() const { return llama_n_threads(context_.get()); }
    int32_t n_threads_batch() const { return llama_n_threads_batch(context_.get()); }
    bool shares_tokens() const { return shares_tokens_; }

    // The size of the largest batch in which tokens do not also pay for cells of other documents; 0
    // if they never do. llama.cpp's flash attention on a CPU processes tiles of 64 tokens and
    // computes, for the whole tile, every cell that any of its tokens sees; smaller batches are
    // processed token by token.
    int32_t n_value_batch() const { return n_value_batch_; }

    // Whether cells that a token does not see slow it down much, as with llama.cpp's attention on a
    // CPU.
    bool pays_for_idle_cells() const { return model_.on_cpu() && !has_own_attention_; }

    // Graphs that llama.cpp computed, and how many of them it reused.
    uint64_t n_graphs() const { return n_graphs_; }
    uint64_t n_graphs_reused() const;

    // Attention nodes computed by hpd's kernel, and those left to llama.cpp; both 0 without the
    // kernel.
    uint64_t n_attention_taken() const { return attention_ ? attention_->n_taken() : 0; }
    uint64_t n_attention_left() const { return attention_ ? attention_->n_left() : 0; }

    uint64_t n_products_taken() const { return products_ ? products_->n_taken() : 0; }

    // Makes the current decode return soon (on a CPU). Thread-safe.
    void stop(bool on) { stop_ = on; }
    bool is_stopped() const { return stop_; }

    // For tests.
    void replace_calls(const FallibleCalls & calls) { calls_ = calls; }

private:
    void check(const std::vector<BatchToken> & batch) const;
    bool attention_fits();
    static bool on_node(ggml_tensor * node, bool ask, void * self) noexcept;
    llama_memory_t memory() const { return llama_get_memory(context_.get()); }

    const Model & model_;
    std::unique_ptr<Attention> attention_;  // null: llama.cpp's own
    std::unique_ptr<Products> products_;  // likewise
    bool has_own_attention_ = false;  // hpd's kernel computes all attention of this model
    llama_context_ptr context_;
    FallibleCalls calls_;
    std::atomic<bool> stop_{false};
    bool shares_tokens_;
    uint32_t n_seq_max_;
    uint32_t n_rows_max_;  // of logits in a batch
    int32_t n_value_batch_ = 0;
    size_t n_rows_ = 0;  // of the last batch
    uint64_t n_graphs_ = 0;

    // the arrays of a llama_batch, refilled for each decode
    std::vector<llama_token> tokens_;
    std::vector<llama_pos> positions_;
    std::vector<int32_t> n_seq_ids_;
    std::vector<llama_seq_id *> seq_ids_;
    std::vector<int8_t> outputs_;
};

}  // namespace hpd
