#include "model/context.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>

#include "attention/guard.h"
#include "errors.h"
#include "model/log.h"
#include "products/guard.h"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace hpd {

namespace {

constexpr uint32_t default_n_ctx = 8192;
constexpr int32_t cpu_attention_tile = 64;  // ggml_fa_tile_config::Q
constexpr uint32_t n_guess_rows = 64;  // for guesses, beside a row for each sequence
constexpr uint32_t n_seq_least = 3;  // for an instruction, a prompt and a field

llama_flash_attn_type flash_attn_type(const std::string & name) {
    if (name == "auto") return LLAMA_FLASH_ATTN_TYPE_AUTO;
    if (name == "on") return LLAMA_FLASH_ATTN_TYPE_ENABLED;
    if (name == "off") return LLAMA_FLASH_ATTN_TYPE_DISABLED;
    throw std::invalid_argument("flash_attn must be on, off or auto, not '" + name + "'");
}

ggml_type cache_type(const std::string & name) {
    for (ggml_type type :
         {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_BF16, GGML_TYPE_Q8_0, GGML_TYPE_Q4_0,
          GGML_TYPE_Q4_1, GGML_TYPE_IQ4_NL, GGML_TYPE_Q5_0, GGML_TYPE_Q5_1}) {
        if (name == ggml_type_name(type)) return type;
    }
    throw std::invalid_argument("'" + name +
                                "' is not a type for KV cells: use f32, f16, bf16, "
                                "q8_0, q4_0, q4_1, iq4_nl, q5_0 or q5_1");
}

bool stop_wanted(void * data) noexcept { return static_cast<std::atomic<bool> *>(data)->load(); }

// Returns the memory of empty cells to the system, which gives zeros again where a cell is used.
// llama.cpp writes zeros into all cells at the start, and thus takes memory for those that no
// document ever needs.
void release_zeros([[maybe_unused]] const std::vector<ggml_backend_buffer_t> & buffers) {
#ifdef __linux__
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    for (ggml_backend_buffer_t buffer : buffers) {
        if (ggml_backend_buffer_get_type(buffer) != ggml_backend_cpu_buffer_type()) continue;
        const auto base = reinterpret_cast<uintptr_t>(ggml_backend_buffer_get_base(buffer));
        const uintptr_t begin = (base + page - 1) / page * page;
        const uintptr_t end = (base + ggml_backend_buffer_get_size(buffer)) / page * page;
        // If it fails, the memory stays as it is.
        if (begin < end) madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
    }
#endif
}

}  // namespace

Context::Context(const Model & model, const EngineOptions & options)
    : model_(model),
      shares_tokens_(!model.is_recurrent() && !model.is_hybrid()),
      n_seq_max_(std::clamp<uint32_t>(options.n_seq_max, n_seq_least,
                                      static_cast<uint32_t>(llama_max_parallel_sequences()))) {
    const LogSince log;
    // A recurrent state is a whole buffer per sequence, not a cell.
    if (!shares_tokens_) n_seq_max_ = std::min<uint32_t>(n_seq_max_, 64);

    const auto n_threads =
        options.n_threads > 0
            ? options.n_threads
            : static_cast<int32_t>(std::max(1u, std::thread::hardware_concurrency()));
    const int32_t n_threads_batch =
        options.n_threads_batch > 0 ? options.n_threads_batch : n_threads;
    llama_context_params params = llama_context_default_params();
    const auto n_ctx_train = static_cast<uint32_t>(std::max(1, model.n_ctx_train()));
    params.n_ctx = options.n_ctx ? options.n_ctx : std::min(default_n_ctx, 4 * n_ctx_train);
    params.n_batch = std::min(std::max(options.n_batch, 1u), params.n_ctx);
    params.n_ubatch = std::min(std::max(options.n_ubatch, 1u), params.n_batch);
    // The second pass of a batch could take cells that have left the window, but are in it again
    // once the first pass's guesses are removed.
    if (model.n_swa() > 0) params.n_batch = params.n_ubatch;
    params.n_seq_max = n_seq_max_;
    // A row for each sequence, which llama.cpp requires, and some for guesses. Memory is allocated
    // for all of them, and with a large vocabulary a row takes more than half a megabyte.
    n_rows_max_ = std::max(n_seq_max_, std::min(params.n_batch, n_seq_max_ + n_guess_rows));
    params.n_outputs_max = n_rows_max_;
    params.n_threads = n_threads;
    params.n_threads_batch = n_threads_batch;
    params.flash_attn_type = flash_attn_type(options.flash_attn);
    params.type_k = cache_type(options.cache_type_k);
    params.type_v = cache_type(options.cache_type_v);
    params.kv_unified = true;  // otherwise a fork copies buffers
    params.swa_full = options.swa_full;
    params.offload_kqv = options.offload_kqv;
    params.no_perf = true;
    params.abort_callback = stop_wanted;
    params.abort_callback_data = &stop_;
    const bool flash = params.flash_attn_type != LLAMA_FLASH_ATTN_TYPE_DISABLED;
    if (flash && model.on_cpu() && options.cpu_attention && usable_kernel()) {
        attention_ =
            std::make_unique<Attention>(*usable_kernel(), std::max(n_threads, n_threads_batch));
    }
    if (model.has_own_products()) products_ = std::make_unique<Products>(*usable_product_kernel());
    if (attention_ || products_) {
        params.cb_eval = on_node;
        params.cb_eval_user_data = this;
    }
    context_.reset(llama_init_from_model(model.get(), params));
    if (!context_) {
        throw ModelLoadError(
            log.appended_to("cannot create a context of " + std::to_string(params.n_ctx) +
                            " cells: a smaller n_ctx or another cache type may fit"));
    }
    if (!model.loras().empty()) {
        auto loras = model.loras();
        auto scales = model.lora_scales();
        if (llama_set_adapters_lora(context_.get(), loras.data(), loras.size(), scales.data())) {
            throw ModelLoadError(log.appended_to("cannot apply the adapters to this model"));
        }
    }
    has_own_attention_ = attention_ && attention_fits();
    if (attention_) release_zeros(attention_->cell_buffers());
    const auto is_float = [](ggml_type t) { return t == GGML_TYPE_F16 || t == GGML_TYPE_F32; };
    const bool tiled = flash && is_float(params.type_k) && params.type_k == params.type_v;
    if (model.on_cpu() && tiled && !has_own_attention_) n_value_batch_ = cpu_attention_tile - 1;
}

// Whether hpd's kernel can compute this model's attention: it does not support soft caps, sinks,
// ALiBi or quantised cells. To see the graph, this starts a decode that stops before it computes
// anything.
bool Context::attention_fits() {
    stop(true);
    decode({{0, 0, {0}, true}});
    stop(false);
    clear();
    return attention_->fits();
}

// A ggml_backend_sched_eval_callback; `self` is the Context.
bool Context::on_node(ggml_tensor * node, bool ask, void * self) noexcept {
    const auto & context = *static_cast<Context *>(self);
    if (ask && context.attention_) context.attention_->visit(node);
    if (ask && context.products_) context.products_->visit(node);
    return false;  // no need to stop after it
}

void Context::fork(SeqId from, SeqId to, int32_t position) {
    if (llama_memory_seq_pos_max(memory(), to) >= 0) {
        throw std::logic_error("context: fork into sequence " + std::to_string(to) +
                               ", which is not empty");
    }
    const int32_t held = n_past(from);
    const bool whole = held == position;
    if (held < position || (!shares_tokens_ && !whole)) {
        throw std::logic_error("context: fork of " + std::to_string(position) +
                               " cells from a sequence of " + std::to_string(held));
    }
    // Cells before the sliding window of the sequence's last token may be gone: without swa_full
    // always, and with it if llama.cpp needed the room. A copy of the whole sequence does not need
    // them, but a shorter copy does.
    if (shares_tokens_ && !whole && llama_memory_seq_pos_min(memory(), from) > 0) {
        throw DecodeError(
            "the sliding window has dropped cells that a fork needs: set swa_full or raise n_ctx");
    }
    if (whole) {
        llama_memory_seq_cp(memory(), from, to, -1, -1);
    } else {
        llama_memory_seq_cp(memory(), from, to, 0, position);
    }
}

void Context::drop(SeqId seq) { llama_memory_seq_rm(memory(), seq, -1, -1); }

void Context::trim(SeqId seq, int32_t position) {
    if (!shares_tokens_) throw std::logic_error("context: a recurrent state cannot be trimmed");
    const LogSince log;
    if (!calls_.remove(memory(), seq, position, -1)) {
        throw DecodeError(log.appended_to("cannot remove the tail of a sequence"));
    }
}

void Context::clear() { llama_memory_clear(memory(), false); }

void Context::apply(const std::vector<CacheOp> & ops) {
    for (const CacheOp & op : ops) {
        switch (op.kind) {
            case CacheOp::Kind::fork:
                fork(op.from, op.seq, op.position);
                break;
            case CacheOp::Kind::drop:
                drop(op.seq);
                break;
            case CacheOp::Kind::trim:
                trim(op.seq, op.position);
                break;
        }
    }
}

int32_t Context::n_past(SeqId seq) const { return llama_memory_seq_pos_max(memory(), seq) + 1; }

void Context::check(const std::vector<BatchToken> & batch) const {
    std::unordered_map<SeqId, int32_t> next;
    for (const BatchToken & t : batch) {
        if (t.seqs.empty()) throw std::logic_error("context: a token without a sequence");
        if (t.seqs.size() > 1 && !shares_tokens_) {
            throw std::logic_error("context: a recurrent model cannot share a token");
        }
        for (SeqId s : t.seqs) {
            const auto [it, first] = next.try_emplace(s, 0);
            // llama.cpp lets an empty sequence start at any position, and two tokens of one
            // sequence at the same position would see each other.
            if (first) it->second = n_past(s);
            if (t.position != it->second) {
                throw std::logic_error("context: sequence " + std::to_string(s) + " holds " +
                                       std::to_string(it->second) + " tokens and is given one at " +
                                       "position " + std::to_string(t.position));
            }
            ++it->second;
        }
    }
}

DecodeStatus Context::decode(const std::vector<BatchToken> & batch) {
    check(batch);
    const size_t n = batch.size();
    tokens_.resize(n);
    positions_.resize(n);
    n_seq_ids_.resize(n);
    seq_ids_.resize(n);
    outputs_.resize(n);
    for (size_t i = 0; i < n; ++i) {
        tokens_[i] = batch[i].token;
        positions_[i] = batch[i].position;
        n_seq_ids_[i] = static_cast<int32_t>(batch[i].seqs.size());
        seq_ids_[i] = const_cast<llama_seq_id *>(batch[i].seqs.data());
        outputs_[i] = batch[i].output;
    }
    const llama_batch b{static_cast<int32_t>(n), tokens_.data(),  nullptr,        positions_.data(),
                        n_seq_ids_.data(),       seq_ids_.data(), outputs_.data()};
    n_rows_ = static_cast<size_t>(std::count(outputs_.begin(), outputs_.end(), int8_t{true}));
    const size_t n_ubatch = llama_n_ubatch(context_.get());
    if (attention_) attention_->begin();
    const LogSince log;
    switch (const int32_t code = calls_.decode(context_.get(), b)) {
        case 0:
            // With a GPU, llama.cpp returns before the batch is computed: its time would count as
            // the next one's.
            llama_synchronize(context_.get());
            if (attention_) attention_->finish();
            if (products_) products_->finish();
            n_graphs_ += (n + n_ubatch - 1) / n_ubatch;
            return DecodeStatus::ok;
        case 1:
            return DecodeStatus::full;
        case 2:
            return DecodeStatus::aborted;
        default:
            throw DecodeError(log.appended_to("llama.cpp could not decode a batch of " +
                                              std::to_string(n) + " tokens (code " +
                                              std::to_string(code) + ")"));
    }
}

uint64_t Context::n_graphs_reused() const {
    return static_cast<uint64_t>(llama_perf_context(context_.get()).n_reused);
}

std::vector<LogitRow> Context::rows() {
    if (n_rows_ == 0) return {};
    const LogSince log;
    const float * rows = calls_.get_logits(context_.get());
    if (!rows) throw DecodeError(log.appended_to("llama.cpp has no logits"));
    return read_rows(rows, n_rows_, model_.n_vocab(), n_threads_batch());
}

}  // namespace hpd
