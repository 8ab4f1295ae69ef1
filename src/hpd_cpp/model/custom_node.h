#pragma once

#include <ggml.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace hpd {

// A custom node has its function and its user data at the beginning of its parameters.
constexpr size_t n_custom_bytes = 32;

// Returns the parameters of a node that all of llama.cpp's threads compute by such a call. A node
// made by ggml has them, as only ggml knows their layout.
inline std::vector<char> custom_params(ggml_custom_op_t compute, void * self) {
    ggml_context * context = ggml_init({2 * ggml_tensor_overhead(), nullptr, true});
    const ggml_tensor * node = ggml_custom_4d(context, GGML_TYPE_F32, 1, 1, 1, 1, nullptr, 0,
                                              compute, GGML_N_TASKS_MAX, self);
    const auto * bytes = reinterpret_cast<const char *>(node->op_params);
    std::vector<char> params(bytes, bytes + n_custom_bytes);
    ggml_free(context);
    return params;
}

inline bool has_params(const ggml_tensor * node, const std::vector<char> & custom_params) {
    return node->op == GGML_OP_CUSTOM &&
           std::memcmp(node->op_params, custom_params.data(), n_custom_bytes) == 0;
}

}  // namespace hpd
