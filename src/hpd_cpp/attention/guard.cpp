#include "attention/guard.h"

#include <ggml-cpp.h>
#include <ggml.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>

#include "attention/attention.h"
#include "attention/trial.h"
#include "model/log.h"

namespace hpd {

namespace {

// llama.cpp sums values in half precision; the error of a wrong scale or mask is far larger.
constexpr float tolerance = 0.02f;

bool is_zero(const char * from, const char * to) {
    return std::all_of(from, to, [](char byte) { return byte == 0; });
}

void nothing(ggml_tensor *, int, int, void *) {}

// Returns how ggml's layout of a node's parameters differs from the expected one; empty if it does
// not.
std::string layout_problem() {
    const ggml_init_params params{16 * ggml_tensor_overhead(), nullptr, true};
    const ggml_context_ptr context(ggml_init(params));
    ggml_context * c = context.get();
    ggml_tensor * q = ggml_new_tensor_3d(c, GGML_TYPE_F32, 16, 1, 1);
    ggml_tensor * k = ggml_new_tensor_3d(c, GGML_TYPE_F16, 16, 1, 1);
    ggml_tensor * mask = ggml_new_tensor_2d(c, GGML_TYPE_F16, 1, 1);
    ggml_tensor * sinks = ggml_new_tensor_1d(c, GGML_TYPE_F32, 1);
    const AttentionParams expected{1.25f, 2.5f, 3.75f};
    ggml_tensor * node =
        ggml_flash_attn_ext(c, q, k, k, mask, expected.scale, expected.max_bias, expected.softcap);
    const char * bytes = reinterpret_cast<const char *>(node->op_params);
    if (node->op != GGML_OP_FLASH_ATTN_EXT || node->src[0] != q || node->src[1] != k ||
        node->src[2] != k || node->src[3] != mask || node->src[4] != nullptr) {
        return "an attention node has other operands";
    }
    ggml_flash_attn_ext_add_sinks(node, sinks);
    if (node->src[4] != sinks) return "an attention node has its sinks elsewhere";
    if (std::memcmp(bytes, &expected, sizeof expected) != 0 ||
        !is_zero(bytes + n_attention_bytes, bytes + GGML_MAX_OP_PARAMS)) {
        return "an attention node has its parameters elsewhere";
    }
    auto * all_ones = reinterpret_cast<void *>(~uintptr_t{0});
    const ggml_tensor * custom = ggml_custom_4d(c, GGML_TYPE_F32, 1, 1, 1, 1, nullptr, 0, nothing,
                                                GGML_N_TASKS_MAX, all_ones);
    const char * custom_bytes = reinterpret_cast<const char *>(custom->op_params);
    if (custom->op != GGML_OP_CUSTOM ||
        !is_zero(custom_bytes + n_custom_bytes, custom_bytes + GGML_MAX_OP_PARAMS)) {
        return "a custom node has its parameters elsewhere";
    }
    return "";
}

// Returns reproducible noise between -1 and 1.
std::vector<float> noise(size_t n, uint32_t seed) {
    std::vector<float> numbers(n);
    for (float & x : numbers) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<float>(seed >> 8) / static_cast<float>(1u << 23) - 1.0f;
    }
    return numbers;
}

// Returns tokens of three documents that share the first cells.
AttentionOperands small_case() {
    AttentionOperands o{9, 64, 4, 2, 32, 16, 1.25f, {}, {}, {}, {}};
    const auto n = [](int32_t a, int32_t b, int32_t c) {
        return static_cast<size_t>(a) * static_cast<size_t>(b) * static_cast<size_t>(c);
    };
    o.q = noise(n(o.n_tokens, o.n_heads, o.d_k), 1);
    o.k = noise(n(o.n_cells, o.n_kv_heads, o.d_k), 2);
    o.v = noise(n(o.n_cells, o.n_kv_heads, o.d_v), 3);
    for (int32_t token = 0; token < o.n_tokens; ++token) {
        for (int32_t cell = 0; cell < o.n_cells; ++cell) {
            const bool sees = cell < 20 || cell % 4 == token / 3;
            o.mask.push_back(sees ? 0.0f : -std::numeric_limits<float>::infinity());
        }
    }
    return o;
}

}  // namespace

std::string attention_problem(const AttentionKernel & kernel) {
    constexpr int32_t n_threads = 2;
    if (std::string problem = layout_problem(); !problem.empty()) return problem;
    try {
        const AttentionOperands operands = small_case();
        const AttentionResult theirs = attention_of(operands, nullptr, n_threads);
        const AttentionResult ours = attention_of(operands, &kernel, n_threads);
        if (!ours.taken) return "it was not given a node that it could compute";
        for (size_t i = 0; i < theirs.out.size(); ++i) {
            // Also false for NaN.
            if (!(std::abs(ours.out[i] - theirs.out[i]) < tolerance)) {
                return "its results differ from llama.cpp's";
            }
        }
    } catch (const std::exception & e) {
        return e.what();
    }
    return "";
}

std::vector<std::pair<std::string, std::string>> attention_problems() {
    std::vector<std::pair<std::string, std::string>> problems;
    for (const AttentionKernel & kernel : Attention::kernels()) {
        problems.emplace_back(kernel.isa, attention_problem(kernel));
    }
    return problems;
}

std::optional<AttentionKernel> first_usable(const std::vector<AttentionKernel> & kernels) {
    for (const AttentionKernel & kernel : kernels) {
        const std::string problem = attention_problem(kernel);
        if (problem.empty()) return kernel;
        warn("the attention kernel " + std::string(kernel.isa) +
             " is not used with this llama.cpp: " + problem);
    }
    return std::nullopt;
}

const std::optional<AttentionKernel> & usable_kernel() {
    static const std::optional<AttentionKernel> kernel = first_usable(Attention::kernels());
    return kernel;
}

}  // namespace hpd
