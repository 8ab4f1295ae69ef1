#include "products/trial.h"

#include <ggml-backend.h>
#include <ggml-cpp.h>

#include <limits>
#include <optional>
#include <stdexcept>

#include "model/cpu_backend.h"
#include "products/products.h"

namespace hpd {

ProductResult product_of(const ProductOperands & o, const ProductKernel * kernel,
                         int32_t n_threads) {
    constexpr size_t n_nodes = 4;
    const ggml_context_ptr context(
        ggml_init({n_nodes * ggml_tensor_overhead() + ggml_graph_overhead_custom(n_nodes, false),
                   nullptr, true}));
    ggml_context * c = context.get();
    ggml_tensor * weights = ggml_new_tensor_2d(c, o.type, o.n_columns, o.n_rows);
    ggml_tensor * activations = ggml_new_tensor_2d(c, GGML_TYPE_F32, o.n_columns, o.n_tokens);
    ggml_tensor * product = ggml_mul_mat(c, weights, activations);
    ggml_cgraph * graph = ggml_new_graph_custom(c, n_nodes, false);
    ggml_build_forward_expand(graph, product);
    const ggml_backend_ptr backend = cpu_backend(n_threads);
    const ggml_backend_buffer_ptr buffer(ggml_backend_alloc_ctx_tensors(c, backend.get()));
    if (!buffer) throw std::runtime_error("ggml could not make room for the node");

    std::vector<char> quantised(ggml_nbytes(weights));
    ggml_quantize_chunk(o.type, o.weights.data(), quantised.data(), 0, o.n_rows, o.n_columns,
                        nullptr);
    ggml_backend_tensor_set(weights, quantised.data(), 0, quantised.size());
    ProductResult result{{}, std::vector<float>(o.weights.size()), false};
    ggml_get_type_traits(o.type)->to_float(quantised.data(), result.weights.data(),
                                           o.n_rows * o.n_columns);

    std::optional<Products> products;
    if (kernel) products.emplace(*kernel);
    // Memory is reused, so results left from an earlier computation could look right.
    result.out.assign(static_cast<size_t>(o.n_rows * o.n_tokens),
                      std::numeric_limits<float>::quiet_NaN());
    const std::vector<float> zeros(o.activations.size());
    for (const std::vector<float> & each : {zeros, o.activations}) {
        ggml_backend_tensor_set(product, result.out.data(), 0, ggml_nbytes(product));
        ggml_backend_tensor_set(activations, each.data(), 0, ggml_nbytes(activations));
        if (products) products->visit(product);
        if (ggml_backend_graph_compute(backend.get(), graph) != GGML_STATUS_SUCCESS) {
            throw std::runtime_error("ggml could not compute the node");
        }
        if (products) products->finish();
    }
    result.taken = product->op == GGML_OP_CUSTOM;
    ggml_backend_tensor_get(product, result.out.data(), 0, ggml_nbytes(product));
    return result;
}

}  // namespace hpd
