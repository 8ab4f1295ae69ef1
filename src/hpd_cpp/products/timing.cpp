#include "products/timing.h"

#include <ggml-backend.h>
#include <ggml-cpp.h>
#include <ggml.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "errors.h"
#include "model/cpu_backend.h"
#include "model/log.h"
#include "products/guard.h"
#include "products/products.h"

namespace hpd {

namespace {

// The largest relative error. Weights of 4 bits cause 0.1, a wrong layout more than 1.
constexpr double max_error = 0.2;

std::string lowered(std::string text) {
    for (char & c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

ggml_type type_named(const ProductSizes & sizes) {
    for (int i = 0; i < GGML_TYPE_COUNT; ++i) {
        const auto type = static_cast<ggml_type>(i);
        const ggml_type_traits * traits = ggml_get_type_traits(type);
        if (traits->blck_size <= 0 || !ggml_type_name(type) ||
            lowered(ggml_type_name(type)) != lowered(sizes.type)) {
            continue;
        }
        if (ggml_quantize_requires_imatrix(type) || !traits->to_float) break;
        if (sizes.n_columns % traits->blck_size != 0) {
            throw InputError(sizes.type + " needs a multiple of " +
                             std::to_string(traits->blck_size) + " columns, not " +
                             std::to_string(sizes.n_columns));
        }
        return type;
    }
    throw InputError("cannot make weights of type " + sizes.type);
}

std::vector<float> noise(int64_t n) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> numbers(static_cast<size_t>(n));
    for (float & number : numbers) number = normal(random);
    return numbers;
}

// Returns the first buffer type, in llama.cpp's order, that has a kernel for such weights; the
// default one for hpd's kernel.
ggml_backend_buffer_type_t weight_buffer_type(ggml_backend_t backend, ggml_tensor * product) {
    const auto & kernel = usable_product_kernel();
    if (kernel && weight_type(*kernel, product->src[0]->type)) {
        return ggml_backend_get_default_buffer_type(backend);
    }
    ggml_backend_dev_t device = ggml_backend_get_device(backend);
    for (auto * each = weight_buffer_types(); each && *each; ++each) {
        // Support depends on the buffer that the weights are in, so they get an empty one.
        ggml_tensor * weights = product->src[0];
        const ggml_backend_buffer_ptr empty(ggml_backend_buft_alloc_buffer(*each, 0));
        weights->buffer = empty.get();
        const bool supported = ggml_backend_dev_supports_op(device, product);
        weights->buffer = nullptr;
        if (supported) return *each;
    }
    return ggml_backend_get_default_buffer_type(backend);
}

double relative_error(const std::vector<float> & found, const std::vector<float> & weights,
                      const std::vector<float> & activations, const ProductSizes & sizes) {
    double squared_error = 0, squared_sum = 0;
    const int64_t row_step = std::max<int64_t>(1, sizes.n_rows / 64);
    const int64_t token_step = std::max<int64_t>(1, sizes.n_tokens / 16);
    for (int64_t token = 0; token < sizes.n_tokens; token += token_step) {
        for (int64_t row = 0; row < sizes.n_rows; row += row_step) {
            double expected = 0;
            for (int64_t column = 0; column < sizes.n_columns; ++column) {
                expected += static_cast<double>(weights[row * sizes.n_columns + column]) *
                            activations[token * sizes.n_columns + column];
            }
            squared_error += std::pow(found[token * sizes.n_rows + row] - expected, 2);
            squared_sum += expected * expected;
        }
    }
    return std::sqrt(squared_error / squared_sum);
}

double fastest(ggml_backend_t backend, ggml_cgraph * graph, double limit) {
    using Clock = std::chrono::steady_clock;
    const auto timed = [&] {
        const auto start = Clock::now();
        if (ggml_backend_graph_compute(backend, graph) != GGML_STATUS_SUCCESS) {
            throw DecodeError("ggml could not compute the products");
        }
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    timed();
    double best = std::numeric_limits<double>::infinity();
    double spent = 0;
    do {
        const double taken = timed();
        best = std::min(best, taken);
        spent += taken;
    } while (spent < limit);
    return best;
}

}  // namespace

ProductTime time_products(const ProductSizes & sizes, int32_t n_threads, double seconds) {
    if (sizes.n_columns < 1 || sizes.n_rows < 1 || sizes.n_matrices < 1 || sizes.n_tokens < 1 ||
        n_threads < 1) {
        throw InputError("products need at least one column, row, matrix, token and thread");
    }
    capture_log();  // ggml logs a line for each matrix that it repacks
    const ggml_type type = type_named(sizes);
    const ggml_backend_ptr backend = cpu_backend(n_threads);
    const size_t n_tensors = 2 * static_cast<size_t>(sizes.n_matrices) + 1;
    const size_t n_bytes_of_graph = ggml_graph_overhead_custom(n_tensors, false);
    const ggml_context_ptr weights_context(
        ggml_init({n_tensors * ggml_tensor_overhead(), nullptr, true}));
    const ggml_context_ptr context(
        ggml_init({n_tensors * ggml_tensor_overhead() + n_bytes_of_graph, nullptr, true}));

    ggml_tensor * activations =
        ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, sizes.n_columns, sizes.n_tokens);
    ggml_cgraph * graph = ggml_new_graph_custom(context.get(), n_tensors, false);
    std::vector<ggml_tensor *> weights;
    ggml_tensor * product = nullptr;
    for (int32_t i = 0; i < sizes.n_matrices; ++i) {
        weights.push_back(
            ggml_new_tensor_2d(weights_context.get(), type, sizes.n_columns, sizes.n_rows));
        product = ggml_mul_mat(context.get(), weights.back(), activations);
        ggml_build_forward_expand(graph, product);
    }
    const ggml_backend_buffer_ptr weights_buffer(ggml_backend_alloc_ctx_tensors_from_buft(
        weights_context.get(), weight_buffer_type(backend.get(), product)));
    const ggml_backend_buffer_ptr buffer(
        ggml_backend_alloc_ctx_tensors(context.get(), backend.get()));
    if (!weights_buffer || !buffer) throw DecodeError("not enough memory for the products");

    const std::vector<float> numbers = noise(sizes.n_columns * sizes.n_rows);
    const size_t n_bytes = ggml_nbytes(weights.front());
    std::vector<char> quantised(n_bytes);
    ggml_quantize_chunk(type, numbers.data(), quantised.data(), 0, sizes.n_rows, sizes.n_columns,
                        nullptr);
    for (ggml_tensor * each : weights) ggml_backend_tensor_set(each, quantised.data(), 0, n_bytes);
    const std::vector<float> inputs = noise(sizes.n_columns * sizes.n_tokens);
    ggml_backend_tensor_set(activations, inputs.data(), 0, inputs.size() * sizeof(float));

    std::optional<Products> products;
    if (usable_product_kernel()) {
        products.emplace(*usable_product_kernel());
        for (int i = 0; i < ggml_graph_n_nodes(graph); ++i) {
            products->visit(ggml_graph_node(graph, i));
        }
    }
    const double taken = fastest(backend.get(), graph, seconds);
    std::vector<float> found(static_cast<size_t>(sizes.n_rows * sizes.n_tokens));
    ggml_backend_tensor_get(product, found.data(), 0, found.size() * sizeof(float));
    const double error = relative_error(found, numbers, inputs, sizes);
    if (!(error < max_error)) {
        throw DecodeError("products with weights of type " + sizes.type + " are wrong by " +
                          std::to_string(std::lround(100 * error)) + "%");
    }
    return {taken, n_bytes * weights.size()};
}

}  // namespace hpd
