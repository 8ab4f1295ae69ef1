#include "products/guard.h"

#include <ggml-backend.h>
#include <ggml.h>

#include <cmath>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "model/cpu_backend.h"
#include "model/log.h"
#include "products/products.h"
#include "products/trial.h"

namespace hpd {

namespace {

constexpr double tolerance = 0.02;  // activations of 8 bits cause 0.007

// Returns reproducible noise between -1 and 1.
std::vector<float> noise(int64_t n, uint32_t seed) {
    std::vector<float> numbers(static_cast<size_t>(n));
    for (float & x : numbers) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<float>(seed >> 8) / static_cast<float>(1u << 23) - 1.0f;
    }
    return numbers;
}

// Returns the relative error of products with weights of a type.
double error_with(const ProductKernel & kernel, ggml_type type) {
    constexpr int32_t n_threads = 2;
    ProductOperands o{type, 512, 96, product_tile + 3, {}, {}};
    o.weights = noise(o.n_rows * o.n_columns, 1);
    o.activations = noise(o.n_tokens * o.n_columns, 2);
    const ProductResult result = product_of(o, &kernel, n_threads);
    if (!result.taken) throw std::runtime_error("it was not given a node that it could compute");
    double squared_error = 0, squared_sum = 0;
    for (int64_t t = 0; t < o.n_tokens; t += 2) {
        for (int64_t row = 0; row < o.n_rows; ++row) {
            const float * weights = result.weights.data() + row * o.n_columns;
            const float * activations = o.activations.data() + t * o.n_columns;
            double expected = 0;
            for (int64_t i = 0; i < o.n_columns; ++i) {
                expected += double{weights[i]} * double{activations[i]};
            }
            const double found = result.out[static_cast<size_t>(t * o.n_rows + row)];
            squared_error += (found - expected) * (found - expected);
            squared_sum += expected * expected;
        }
    }
    return std::sqrt(squared_error / squared_sum);
}

bool uses_amx() {
    for (auto * each = weight_buffer_types(); each && *each; ++each) {
        if (std::string_view(ggml_backend_buft_name(*each)) == "AMX") return true;
    }
    return false;
}

}  // namespace

std::string product_problem(const ProductKernel & kernel) {
    for (int i = 0; i < GGML_TYPE_COUNT; ++i) {
        const auto type = static_cast<ggml_type>(i);
        if (!weight_type(kernel, type)) continue;
        const std::string with = std::string(" with weights of type ") + ggml_type_name(type);
        try {
            // Also false for NaN.
            if (!(error_with(kernel, type) < tolerance)) return "its results are wrong" + with;
        } catch (const std::exception & error) {
            return error.what() + with;
        }
    }
    return "";
}

std::vector<std::pair<std::string, std::string>> product_problems() {
    std::vector<std::pair<std::string, std::string>> problems;
    for (const ProductKernel & kernel : Products::kernels()) {
        problems.emplace_back(kernel.isa, product_problem(kernel));
    }
    return problems;
}

const std::optional<ProductKernel> & usable_product_kernel() {
    static const std::optional<ProductKernel> kernel = []() -> std::optional<ProductKernel> {
        if (uses_amx()) return std::nullopt;
        for (const ProductKernel & each : Products::kernels()) {
            const std::string problem = product_problem(each);
            if (problem.empty()) return each;
            warn("the product kernel " + std::string(each.isa) +
                 " is not used with this llama.cpp: " + problem);
        }
        return std::nullopt;
    }();
    return kernel;
}

}  // namespace hpd
