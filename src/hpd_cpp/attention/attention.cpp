#include "attention/attention.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace hpd {

namespace {

// A custom node keeps its function in the parameters; those of the attention are put behind.
constexpr size_t n_custom_bytes = 32;
constexpr size_t n_attention_bytes = 32;
static_assert(n_custom_bytes + n_attention_bytes <= GGML_MAX_OP_PARAMS, "both must fit");

struct AttentionParams {  // as ggml_flash_attn_ext() lays them out
    float scale;
    float max_bias;
    float softcap;
};

constexpr uint16_t visible = 0x0000;    // 0 and minus infinity, in half precision
constexpr uint16_t invisible = 0xfc00;

// A group of few cells still has its queries to turn and its results to write.
constexpr int64_t cells_for_a_group = 16;

AttentionParams params_of(const ggml_tensor * node) {
    const char * bytes = reinterpret_cast<const char *>(node->op_params);
    AttentionParams params;
    std::memcpy(&params, node->op == GGML_OP_CUSTOM ? bytes + n_custom_bytes : bytes,
                sizeof params);
    return params;
}

struct FreeAligned {
    void operator()(float * p) const { operator delete[](p, std::align_val_t{64}); }
};

}  // namespace

int64_t Attention::Plan::cost(const Group & g) const { return g.n_cells + cells_for_a_group; }

int64_t Attention::Plan::total_cost() const {
    int64_t sum = 0;
    for (const Group & g : groups) sum += cost(g);
    return sum;
}

std::vector<AttentionKernel> Attention::kernels() {
    std::vector<AttentionKernel> kernels;
#if defined(HPD_ATTENTION_X86)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
        kernels.push_back(attention_kernel_avx512());
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        kernels.push_back(attention_kernel_avx2());
    }
#elif defined(HPD_ATTENTION_NEON)
    kernels.push_back(attention_kernel_neon());
#endif
    return kernels;
}

Attention::Attention(const AttentionKernel & kernel, int32_t n_threads)
    : kernel_(kernel), n_threads_(n_threads), custom_params_(n_custom_bytes) {
    // Made by ggml, so that its layout is ggml's business.
    const ggml_init_params params{2 * ggml_tensor_overhead(), nullptr, true};
    ggml_context * context = ggml_init(params);
    const ggml_tensor * node = ggml_custom_4d(context, GGML_TYPE_F32, 1, 1, 1, 1, nullptr, 0,
                                              compute, GGML_N_TASKS_MAX, this);
    std::memcpy(custom_params_.data(), node->op_params, n_custom_bytes);
    ggml_free(context);
}

bool Attention::on_node(ggml_tensor * node, bool ask, void * self) {
    if (ask) static_cast<Attention *>(self)->visit(node);
    return false;  // no need to stop after it
}

void Attention::visit(ggml_tensor * node) {
    // All nodes are asked about before the first is computed.
    if (computed_.exchange(false, std::memory_order_relaxed)) plans_.clear();
    char * bytes = reinterpret_cast<char *>(node->op_params);
    // A graph that is used again has the nodes as they were left.
    const bool taken = node->op == GGML_OP_CUSTOM &&
                       std::memcmp(bytes, custom_params_.data(), n_custom_bytes) == 0;
    if (!taken && (node->op != GGML_OP_FLASH_ATTN_EXT || !can_take(node))) return;
    const bool take = plan_of(node) != nullptr;
    if (take && !taken) {
        std::memmove(bytes + n_custom_bytes, bytes, n_attention_bytes);
        std::memcpy(bytes, custom_params_.data(), n_custom_bytes);
        node->op = GGML_OP_CUSTOM;
    } else if (!take && taken) {
        std::memmove(bytes, bytes + n_custom_bytes, n_attention_bytes);
        node->op = GGML_OP_FLASH_ATTN_EXT;
    }
}

bool Attention::can_take(const ggml_tensor * node) const {
    const ggml_tensor * q = node->src[0];
    const ggml_tensor * k = node->src[1];
    const ggml_tensor * v = node->src[2];
    const ggml_tensor * mask = node->src[3];
    const AttentionParams params = params_of(node);
    return mask && !node->src[4] && q->type == GGML_TYPE_F32 && k->type == GGML_TYPE_F16 &&
           v->type == GGML_TYPE_F16 && mask->type == GGML_TYPE_F16 && mask->op == GGML_OP_NONE &&
           q->nb[0] == sizeof(float) && k->nb[0] == 2 && v->nb[0] == 2 && mask->nb[0] == 2 &&
           k->ne[0] % 16 == 0 && v->ne[0] % 16 == 0 && k->ne[2] == v->ne[2] &&
           q->ne[2] % k->ne[2] == 0 && q->ne[3] == 1 && mask->ne[2] == 1 && mask->ne[3] == 1 &&
           params.max_bias == 0.0f && params.softcap == 0.0f;
}

// The plan for the node's mask; none if llama.cpp is to compute it.
const Attention::Plan * Attention::plan_of(const ggml_tensor * node) {
    const int64_t n_heads_each = node->src[0]->ne[2] / node->src[1]->ne[2];
    for (const Plan & p : plans_) {
        if (p.mask == node->src[3]->data && p.n_heads_each == n_heads_each) return &p;
    }
    Plan plan = make_plan(node);
    // A single token may have fewer shares than there are threads; llama.cpp divides the cells,
    // too.
    const int64_t n_shares = static_cast<int64_t>(plan.groups.size()) * node->src[1]->ne[2];
    if (n_shares == 0 || n_shares < n_threads_) return nullptr;
    plans_.push_back(std::move(plan));
    return &plans_.back();
}

// No groups if the mask says more than visible or not.
Attention::Plan Attention::make_plan(const ggml_tensor * node) const {
    const ggml_tensor * mask = node->src[3];
    Plan plan;
    plan.mask = mask->data;
    plan.n_tokens = node->src[0]->ne[1];
    plan.n_heads_each = node->src[0]->ne[2] / node->src[1]->ne[2];
    const auto n_cells = static_cast<size_t>(mask->ne[0]);
    const int64_t n_rows = plan.n_tokens * plan.n_heads_each;
    std::vector<uint16_t> seen(n_cells);
    for (int64_t first = 0; first < n_rows; first += kernel_.n_lanes) {
        const int64_t end = std::min(n_rows, first + kernel_.n_lanes);
        std::fill(seen.begin(), seen.end(), uint16_t{0});
        uint16_t odd = 0;
        for (int64_t row = first; row < end;) {
            const int64_t token = row / plan.n_heads_each;
            uint16_t lanes = 0;
            for (; row < end && row / plan.n_heads_each == token; ++row) {
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
        if (odd) return Plan{};
        Group group{static_cast<int32_t>(first), static_cast<int32_t>(end - first),
                    static_cast<int32_t>(plan.cells.size()), 0};
        for (size_t c = 0; c < n_cells; ++c) {
            if (!seen[c]) continue;
            plan.cells.push_back(static_cast<int32_t>(c));
            plan.seen.push_back(seen[c]);
        }
        group.n_cells = static_cast<int32_t>(plan.cells.size()) - group.first_cell;
        plan.groups.push_back(group);
    }
    return plan;
}

// The thread's share of the node: whole groups for whole heads.
void Attention::compute(ggml_tensor * node, int thread, int n_threads, void * self) {
    auto & attention = *static_cast<Attention *>(self);
    attention.computed_.store(true, std::memory_order_relaxed);
    const ggml_tensor * q = node->src[0];
    const ggml_tensor * k = node->src[1];
    const ggml_tensor * v = node->src[2];
    const int64_t n_heads_each = q->ne[2] / k->ne[2];
    const auto & plans = attention.plans_;
    const Plan & plan = *std::find_if(plans.begin(), plans.end(), [&](const Plan & p) {
        return p.mask == node->src[3]->data && p.n_heads_each == n_heads_each;
    });

    AttentionJob job{};
    job.d_k = static_cast<int32_t>(k->ne[0]);
    job.d_v = static_cast<int32_t>(v->ne[0]);
    job.scale = params_of(node).scale;
    job.k_stride = k->nb[1];
    job.v_stride = v->nb[1];
    const std::unique_ptr<float[], FreeAligned> scratch(
        new (std::align_val_t{64}) float[attention_scratch(job.d_k, job.d_v)]);
    job.scratch = scratch.get();

    const int64_t n_heads = k->ne[2];
    const int64_t all = plan.total_cost() * n_heads;
    int64_t done = 0;
    for (const Group & group : plan.groups) {
        job.n_rows = group.n_rows;
        job.cells = plan.cells.data() + group.first_cell;
        job.seen = plan.seen.data() + group.first_cell;
        job.n_cells = group.n_cells;
        for (int64_t head = 0; head < n_heads; ++head) {
            const int64_t middle = done + plan.cost(group) / 2;
            done += plan.cost(group);
            if (middle * n_threads / all != thread) continue;
            job.k = static_cast<const char *>(k->data) + static_cast<size_t>(head) * k->nb[2];
            job.v = static_cast<const char *>(v->data) + static_cast<size_t>(head) * v->nb[2];
            for (int32_t i = 0; i < group.n_rows; ++i) {
                const int64_t row = group.first_row + i;
                const auto token = static_cast<size_t>(row / n_heads_each);
                const auto h = static_cast<size_t>(head * n_heads_each + row % n_heads_each);
                job.q[i] = reinterpret_cast<const float *>(static_cast<const char *>(q->data) +
                                                           token * q->nb[1] + h * q->nb[2]);
                job.out[i] = reinterpret_cast<float *>(static_cast<char *>(node->data) +
                                                       h * node->nb[1] + token * node->nb[2]);
            }
            attention.kernel_.attend(job);
        }
    }
}

}  // namespace hpd
