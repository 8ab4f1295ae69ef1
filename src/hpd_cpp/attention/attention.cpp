#include "attention/attention.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace hpd {

namespace {

constexpr uint16_t visible = 0x0000;    // 0 and minus infinity, in half precision
constexpr uint16_t invisible = 0xfc00;

// The fixed cost of a group, in cells: its queries are transposed and its results written.
constexpr int64_t group_cost = 16;

AttentionParams params_of(const ggml_tensor * node, bool taken) {
    const char * bytes = reinterpret_cast<const char *>(node->op_params);
    AttentionParams params;
    std::memcpy(&params, taken ? bytes + n_custom_bytes : bytes, sizeof params);
    return params;
}

int64_t n_heads_per_kv(const ggml_tensor * node) {
    return node->src[0]->ne[2] / node->src[1]->ne[2];
}

}  // namespace

int64_t Attention::SeenCells::cost(const Group & g) const { return g.n_cells + group_cost; }

int64_t Attention::SeenCells::total_cost() const {
    int64_t sum = 0;
    for (const Group & g : groups) sum += cost(g);
    return sum;
}

std::vector<AttentionKernel> Attention::kernels() {
    std::vector<AttentionKernel> kernels;
#if defined(HPD_KERNELS_X86)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
        kernels.push_back(attention_kernel_avx512());
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        kernels.push_back(attention_kernel_avx2());
    }
#elif defined(HPD_KERNELS_NEON)
    kernels.push_back(attention_kernel_neon());
#endif
    return kernels;
}

Attention::Attention(const AttentionKernel & kernel, int32_t n_threads)
    : kernel_(kernel),
      n_threads_(n_threads),
      custom_params_(custom_params(on_compute, this)),
      scratch_(static_cast<size_t>(n_threads)) {}

void Attention::begin() {
    seen_cells_.clear();
    error_ = nullptr;
    n_fitting_ = 0;
    n_unfitting_ = 0;
    n_expected_ = 0;
    n_computed_ = 0;
    failed_ = false;
}

void Attention::finish() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if (failed_ || n_computed_ != n_expected_) {
        throw std::logic_error(
            "attention: llama.cpp does not compute its graph as hpd's kernel expects; "
            "cpu_attention = False turns the kernel off");
    }
}

// --- while llama.cpp asks ----------------------------------------------------------------------

bool Attention::on_node(ggml_tensor * node, bool ask, void * self) noexcept {
    if (ask) static_cast<Attention *>(self)->visit(node);
    return false;  // no need to stop after it
}

void Attention::visit(ggml_tensor * node) noexcept {
    // llama.cpp asks about all nodes before it computes the first, so this is another graph.
    if (computing_.exchange(false, std::memory_order_relaxed)) {
        seen_cells_.clear();
        n_fitting_ = 0;
        n_unfitting_ = 0;
    }
    // In a reused graph, nodes are as they were, and may be taken already.
    const bool taken = has_params(node, custom_params_);
    if (!taken && node->op != GGML_OP_FLASH_ATTN_EXT) return;
    const bool fitting = taken || fits(node);
    ++(fitting ? n_fitting_ : n_unfitting_);
    bool ready = false;
    try {
        note_cells(node);
        ready = fitting && prepare(node);
    } catch (...) {
        error_ = std::current_exception();
    }
    ++(ready ? n_taken_ : n_left_);
    if (ready) ++n_expected_;
    if (ready && !taken) take(node);
    if (!ready && taken) give_back(node);
}

void Attention::note_cells(const ggml_tensor * node) {
    for (const ggml_tensor * cells : {node->src[1], node->src[2]}) {
        if (!cells->view_src) continue;  // computed, not kept
        ggml_backend_buffer_t buffer = cells->view_src->buffer;
        const auto end = cell_buffers_.end();
        if (buffer && std::find(cell_buffers_.begin(), end, buffer) == end) {
            cell_buffers_.push_back(buffer);
        }
    }
}

void Attention::take(ggml_tensor * node) const {
    char * bytes = reinterpret_cast<char *>(node->op_params);
    std::memmove(bytes + n_custom_bytes, bytes, n_attention_bytes);
    std::memcpy(bytes, custom_params_.data(), n_custom_bytes);
    node->op = GGML_OP_CUSTOM;
}

void Attention::give_back(ggml_tensor * node) const {
    char * bytes = reinterpret_cast<char *>(node->op_params);
    std::memmove(bytes, bytes + n_custom_bytes, n_attention_bytes);
    std::memset(bytes + n_attention_bytes, 0, n_custom_bytes);
    node->op = GGML_OP_FLASH_ATTN_EXT;
}

// Whether the kernel supports this form of attention, regardless of the mask's numbers.
bool Attention::fits(const ggml_tensor * node) const {
    const ggml_tensor * q = node->src[0];
    const ggml_tensor * k = node->src[1];
    const ggml_tensor * v = node->src[2];
    const ggml_tensor * mask = node->src[3];
    const ggml_tensor * sinks = node->src[4];
    const AttentionParams params = params_of(node, false);
    return mask && !sinks && q->type == GGML_TYPE_F32 && k->type == GGML_TYPE_F16 &&
           v->type == GGML_TYPE_F16 && mask->type == GGML_TYPE_F16 && mask->op == GGML_OP_NONE &&
           q->nb[0] == sizeof(float) && k->nb[0] == 2 && v->nb[0] == 2 && mask->nb[0] == 2 &&
           k->ne[0] % 16 == 0 && v->ne[0] % 16 == 0 && k->ne[2] == v->ne[2] &&
           q->ne[2] % k->ne[2] == 0 && q->ne[3] == 1 && mask->ne[2] == 1 && mask->ne[3] == 1 &&
           params.max_bias == 0.0f && params.softcap == 0.0f;
}

// Reads the node's mask, if necessary, and prepares all that the threads need. Returns false if
// llama.cpp must compute the node.
bool Attention::prepare(const ggml_tensor * node) {
    const SeenCells * seen = seen_cells(node);
    if (!seen) {
        seen_cells_.push_back(read_mask(node));
        seen = &seen_cells_.back();
    }
    // For a single token there may be fewer shares than threads; llama.cpp can also divide cells.
    const int64_t n_shares = static_cast<int64_t>(seen->groups.size()) * node->src[1]->ne[2];
    if (n_shares == 0 || n_shares < n_threads_) return false;
    provide_scratch(node);
    return true;
}

// Returns no groups if the mask has values other than visible and invisible.
Attention::SeenCells Attention::read_mask(const ggml_tensor * node) const {
    const ggml_tensor * mask = node->src[3];
    SeenCells all;
    all.mask = mask->data;
    all.n_heads_per_kv = n_heads_per_kv(node);
    const auto n_cells = static_cast<size_t>(mask->ne[0]);
    const int64_t n_rows = node->src[0]->ne[1] * all.n_heads_per_kv;
    std::vector<uint16_t> seen(n_cells);
    for (int64_t first = 0; first < n_rows; first += kernel_.n_lanes) {
        const int64_t end = std::min(n_rows, first + kernel_.n_lanes);
        std::fill(seen.begin(), seen.end(), uint16_t{0});
        uint16_t odd = 0;
        for (int64_t row = first; row < end;) {
            const int64_t token = row / all.n_heads_per_kv;
            uint16_t lanes = 0;
            for (; row < end && row / all.n_heads_per_kv == token; ++row) {
                lanes = static_cast<uint16_t>(lanes | 1u << (row - first));
            }
            const auto * line = reinterpret_cast<const uint16_t *>(
                static_cast<const char *>(mask->data) + static_cast<size_t>(token) * mask->nb[1]);
            for (size_t c = 0; c < n_cells; ++c) {
                const uint16_t sees = line[c] == visible ? 0xffff : 0;
                seen[c] = static_cast<uint16_t>(seen[c] | (lanes & sees));
                odd = static_cast<uint16_t>(odd |
                                            (line[c] == visible || line[c] == invisible ? 0 : 1));
            }
        }
        if (odd) {
            all.groups.clear();
            return all;
        }
        Group group{static_cast<int32_t>(first), static_cast<int32_t>(end - first),
                    static_cast<int32_t>(all.cells.size()), 0};
        for (size_t c = 0; c < n_cells; ++c) {
            if (!seen[c]) continue;
            all.cells.push_back(static_cast<int32_t>(c));
            all.seen.push_back(seen[c]);
        }
        group.n_cells = static_cast<int32_t>(all.cells.size()) - group.first_cell;
        all.groups.push_back(group);
    }
    return all;
}

// Returns nullptr if the node's mask has not been read.
const Attention::SeenCells * Attention::seen_cells(const ggml_tensor * node) const {
    for (const SeenCells & seen : seen_cells_) {
        if (seen.mask == node->src[3]->data && seen.n_heads_per_kv == n_heads_per_kv(node)) {
            return &seen;
        }
    }
    return nullptr;
}

void Attention::provide_scratch(const ggml_tensor * node) {
    const size_t n = attention_scratch(static_cast<int32_t>(node->src[1]->ne[0]),
                                       static_cast<int32_t>(node->src[2]->ne[0]));
    if (n <= n_scratch_) return;
    for (auto & scratch : scratch_) scratch.reset(new (std::align_val_t{64}) float[n]);
    n_scratch_ = n;
}

// --- on llama.cpp's threads, without allocations or exceptions ---------------------------------

void Attention::on_compute(ggml_tensor * node, int thread, int n_threads, void * self) noexcept {
    auto & attention = *static_cast<Attention *>(self);
    attention.computing_.store(true, std::memory_order_relaxed);
    if (thread == 0) attention.n_computed_.fetch_add(1, std::memory_order_relaxed);
    if (!attention.compute(node, thread, n_threads)) {
        attention.failed_.store(true, std::memory_order_relaxed);  // finish() reports it
    }
}

// Computes the thread's share of the node: whole groups of whole heads. Returns false if the node
// was not prepared.
bool Attention::compute(ggml_tensor * node, int thread, int n_threads) const {
    const SeenCells * seen = seen_cells(node);
    if (!seen || seen->groups.empty() || static_cast<size_t>(thread) >= scratch_.size()) {
        return false;
    }
    const ggml_tensor * q = node->src[0];
    const ggml_tensor * k = node->src[1];
    const ggml_tensor * v = node->src[2];
    AttentionJob job{};
    job.d_k = static_cast<int32_t>(k->ne[0]);
    job.d_v = static_cast<int32_t>(v->ne[0]);
    job.scale = params_of(node, true).scale;
    job.k_stride = k->nb[1];
    job.v_stride = v->nb[1];
    job.scratch = scratch_[static_cast<size_t>(thread)].get();
    if (attention_scratch(job.d_k, job.d_v) > n_scratch_) return false;

    const int64_t n_heads = k->ne[2];
    const int64_t all = seen->total_cost() * n_heads;
    int64_t done = 0;
    for (const Group & group : seen->groups) {
        job.n_rows = group.n_rows;
        job.cells = seen->cells.data() + group.first_cell;
        job.seen = seen->seen.data() + group.first_cell;
        job.n_cells = group.n_cells;
        for (int64_t head = 0; head < n_heads; ++head) {
            const int64_t middle = done + seen->cost(group) / 2;
            done += seen->cost(group);
            if (middle * n_threads / all != thread) continue;
            job.k = static_cast<const char *>(k->data) + static_cast<size_t>(head) * k->nb[2];
            job.v = static_cast<const char *>(v->data) + static_cast<size_t>(head) * v->nb[2];
            for (int32_t i = 0; i < group.n_rows; ++i) {
                const int64_t row = group.first_row + i;
                const auto token = static_cast<size_t>(row / seen->n_heads_per_kv);
                const auto h =
                    static_cast<size_t>(head * seen->n_heads_per_kv + row % seen->n_heads_per_kv);
                job.q[i] = reinterpret_cast<const float *>(static_cast<const char *>(q->data) +
                                                           token * q->nb[1] + h * q->nb[2]);
                job.out[i] = reinterpret_cast<float *>(static_cast<char *>(node->data) +
                                                       h * node->nb[1] + token * node->nb[2]);
            }
            kernel_.attend(job);
        }
    }
    return true;
}

}  // namespace hpd
