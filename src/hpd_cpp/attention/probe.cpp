#include "attention/probe.h"

#include <ggml-backend.h>
#include <ggml-cpp.h>
#include <ggml.h>

#include <cstring>
#include <stdexcept>

#include "attention/attention.h"

namespace hpd {

namespace {

ggml_tensor * halves(ggml_context * context, const std::vector<float> & from, int64_t ne0,
                     int64_t ne1, int64_t ne2) {
    ggml_tensor * t = ggml_new_tensor_3d(context, GGML_TYPE_F16, ne0, ne1, ne2);
    ggml_fp32_to_fp16_row(from.data(), static_cast<ggml_fp16_t *>(t->data),
                          static_cast<int64_t>(from.size()));
    return t;
}

}  // namespace

std::vector<float> attention_of(const AttentionOperands & o, const std::string & isa,
                                int32_t n_threads) {
    const size_t n_out = static_cast<size_t>(o.n_tokens) * static_cast<size_t>(o.n_heads) *
                         static_cast<size_t>(o.d_v);
    const size_t n_bytes = 4 * (o.q.size() + o.k.size() + o.v.size() + o.mask.size() + n_out) +
                           32 * ggml_tensor_overhead() + ggml_graph_overhead();
    const ggml_context_ptr context(ggml_init({n_bytes, nullptr, false}));
    ggml_context * c = context.get();
    ggml_tensor * q = ggml_new_tensor_3d(c, GGML_TYPE_F32, o.d_k, o.n_heads, o.n_tokens);
    std::memcpy(q->data, o.q.data(), o.q.size() * sizeof(float));
    ggml_tensor * k = halves(c, o.k, o.d_k, o.n_kv_heads, o.n_cells);
    ggml_tensor * v = halves(c, o.v, o.d_v, o.n_kv_heads, o.n_cells);
    ggml_tensor * mask = halves(c, o.mask, o.n_cells, o.n_tokens, 1);
    ggml_tensor * node =
        ggml_flash_attn_ext(c, ggml_permute(c, q, 0, 2, 1, 3), ggml_permute(c, k, 0, 2, 1, 3),
                            ggml_permute(c, v, 0, 2, 1, 3), mask, o.scale, 0.0f, 0.0f);
    ggml_cgraph * graph = ggml_new_graph(c);
    ggml_build_forward_expand(graph, node);

    std::unique_ptr<Attention> attention;
    if (!isa.empty()) {
        for (const AttentionKernel & kernel : Attention::kernels()) {
            if (isa == kernel.isa) attention = std::make_unique<Attention>(kernel, 1);
        }
        if (attention) Attention::on_node(node, true, attention.get());
        if (node->op != GGML_OP_CUSTOM) {
            throw std::invalid_argument("hpd has no kernel for this attention");
        }
    }
    const ggml_backend_ptr backend(
        ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr));
    ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(ggml_backend_get_device(backend.get()));
    const auto set_n_threads = reinterpret_cast<ggml_backend_set_n_threads_t>(
        ggml_backend_reg_get_proc_address(reg, "ggml_backend_set_n_threads"));
    if (set_n_threads) set_n_threads(backend.get(), n_threads);
    if (ggml_backend_graph_compute(backend.get(), graph) != GGML_STATUS_SUCCESS) {
        throw std::runtime_error("ggml could not compute the node");
    }
    const auto * out = static_cast<const float *>(node->data);
    return {out, out + n_out};
}

}  // namespace hpd
