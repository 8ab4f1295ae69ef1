#include "attention/trial.h"

#include <ggml-backend.h>
#include <ggml-cpp.h>
#include <ggml.h>

#include <limits>
#include <memory>
#include <stdexcept>

#include "attention/attention.h"
#include "model/cpu_backend.h"

namespace hpd {

namespace {

void set_halves(ggml_tensor * tensor, const std::vector<float> & from) {
    std::vector<ggml_fp16_t> halves(from.size());
    ggml_fp32_to_fp16_row(from.data(), halves.data(), static_cast<int64_t>(from.size()));
    ggml_backend_tensor_set(tensor, halves.data(), 0, halves.size() * sizeof(ggml_fp16_t));
}

}  // namespace

AttentionResult attention_of(const AttentionOperands & o, const AttentionKernel * kernel,
                             int32_t n_threads) {
    constexpr size_t n_nodes = 32;
    const ggml_init_params params{
        n_nodes * ggml_tensor_overhead() + ggml_graph_overhead_custom(n_nodes, false), nullptr,
        true};
    const ggml_context_ptr context(ggml_init(params));
    ggml_context * c = context.get();
    ggml_tensor * q = ggml_new_tensor_3d(c, GGML_TYPE_F32, o.d_k, o.n_heads, o.n_tokens);
    ggml_tensor * k = ggml_new_tensor_3d(c, GGML_TYPE_F16, o.d_k, o.n_kv_heads, o.n_cells);
    ggml_tensor * v = ggml_new_tensor_3d(c, GGML_TYPE_F16, o.d_v, o.n_kv_heads, o.n_cells);
    ggml_tensor * mask = ggml_new_tensor_2d(c, GGML_TYPE_F16, o.n_cells, o.n_tokens);
    for (ggml_tensor * t : {q, k, v, mask}) ggml_set_input(t);
    ggml_tensor * node =
        ggml_flash_attn_ext(c, ggml_permute(c, q, 0, 2, 1, 3), ggml_permute(c, k, 0, 2, 1, 3),
                            ggml_permute(c, v, 0, 2, 1, 3), mask, o.scale, 0.0f, 0.0f);
    ggml_set_output(node);
    ggml_cgraph * graph = ggml_new_graph_custom(c, n_nodes, false);
    ggml_build_forward_expand(graph, node);

    const ggml_backend_ptr backend = cpu_backend(n_threads);
    ggml_backend_t backends[] = {backend.get()};
    const ggml_backend_sched_ptr scheduler(
        ggml_backend_sched_new(backends, nullptr, 1, n_nodes, false, false));
    std::unique_ptr<Attention> attention;
    if (kernel) {
        attention = std::make_unique<Attention>(*kernel, n_threads);
        ggml_backend_sched_set_eval_callback(scheduler.get(), Attention::on_node, attention.get());
    }
    if (!ggml_backend_sched_alloc_graph(scheduler.get(), graph)) {
        throw std::runtime_error("ggml could not make room for the node");
    }
    std::vector<float> first_cell_only(o.mask.size(), -std::numeric_limits<float>::infinity());
    for (int32_t t = 0; t < o.n_tokens; ++t) {
        first_cell_only[static_cast<size_t>(t) * static_cast<size_t>(o.n_cells)] = 0.0f;
    }
    AttentionResult result{std::vector<float>(static_cast<size_t>(ggml_nelements(node))), false};
    // Memory is reused, so results left from an earlier computation could look right.
    const std::vector<float> unwritten(result.out.size(), std::numeric_limits<float>::quiet_NaN());
    for (const std::vector<float> & visible : {first_cell_only, o.mask}) {
        ggml_backend_tensor_set(node, unwritten.data(), 0, ggml_nbytes(node));
        ggml_backend_tensor_set(q, o.q.data(), 0, o.q.size() * sizeof(float));
        set_halves(k, o.k);
        set_halves(v, o.v);
        set_halves(mask, visible);
        if (attention) attention->begin();
        if (ggml_backend_sched_graph_compute(scheduler.get(), graph) != GGML_STATUS_SUCCESS) {
            throw std::runtime_error("ggml could not compute the node");
        }
        if (attention) attention->finish();
    }
    result.taken = node->op == GGML_OP_CUSTOM;
    ggml_backend_tensor_get(node, result.out.data(), 0, ggml_nbytes(node));
    return result;
}

}  // namespace hpd
