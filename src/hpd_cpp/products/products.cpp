#include "products/products.h"

#include <ggml-backend.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "model/custom_node.h"

namespace hpd {

namespace {

// Threads take rows in turns, as one of them may be held up. With many tokens, the weights of a
// turn stay in the processor's cache from one tile to the next.
constexpr size_t n_turn_bytes = 256 * 1024;
constexpr int64_t n_turns = 4;  // of each thread, at least

constexpr int n_spins = 4096;  // before a waiting thread lets others run

int64_t n_tokens_of(const ggml_tensor * node) { return node->src[1]->ne[1]; }

}  // namespace

std::vector<ProductKernel> Products::kernels() {
    std::vector<ProductKernel> kernels;
#if defined(HPD_KERNELS_X86)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        kernels.push_back(products_kernel_avx512());
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        kernels.push_back(products_kernel_avx2());
    }
#endif
    return kernels;
}

std::optional<WeightType> weight_type(const ProductKernel & kernel, ggml_type type) {
    const auto named = [&]() -> std::optional<WeightType> {
        switch (type) {
            case GGML_TYPE_Q4_0:
                return WeightType::q4_0;
            case GGML_TYPE_Q5_0:
                return WeightType::q5_0;
            case GGML_TYPE_Q8_0:
                return WeightType::q8_0;
            case GGML_TYPE_Q4_K:
                return WeightType::q4_k;
            case GGML_TYPE_Q5_K:
                return WeightType::q5_k;
            case GGML_TYPE_Q6_K:
                return WeightType::q6_k;
            default:
                return std::nullopt;
        }
    }();
    return named && kernel.knows(*named) ? named : std::nullopt;
}

Products::Products(const ProductKernel & kernel)
    : kernel_(kernel), custom_params_(custom_params(on_compute, this)) {}

void Products::finish() {
    if (failed_.exchange(false)) {
        throw std::logic_error(
            "products: llama.cpp does not compute its graph as hpd's kernel expects; "
            "cpu_products = False turns the kernel off");
    }
}

// --- while llama.cpp asks ----------------------------------------------------------------------

void Products::visit(ggml_tensor * node) noexcept {
    input_ = {};  // another graph, or the same one with other activations
    const bool taken = has_params(node, custom_params_);
    if (!taken && (node->op != GGML_OP_MUL_MAT || !fits(node))) return;
    try {
        provide_scratch(node);
    } catch (const std::bad_alloc &) {
        failed_ = taken;
        return;
    }
    ++n_taken_;
    if (taken) return;
    std::memcpy(node->op_params, custom_params_.data(), n_custom_bytes);
    node->op = GGML_OP_CUSTOM;
}

bool Products::fits(const ggml_tensor * node) const {
    const ggml_tensor * weights = node->src[0];
    const ggml_tensor * activations = node->src[1];
    const auto type = weight_type(kernel_, weights->type);
    const auto buffer = weights->view_src ? weights->view_src->buffer : weights->buffer;
    return type && buffer && ggml_backend_buffer_is_host(buffer) && weights->op == GGML_OP_NONE &&
           ggml_is_contiguous(weights) && weights->ne[0] % block_size(*type) == 0 &&
           weights->ne[1] % kernel_.n_rows == 0 && weights->ne[2] == 1 && weights->ne[3] == 1 &&
           activations->type == GGML_TYPE_F32 && activations->nb[0] == sizeof(float) &&
           activations->ne[2] == 1 && activations->ne[3] == 1 && node->type == GGML_TYPE_F32 &&
           ggml_is_contiguous(node);
}

void Products::provide_scratch(const ggml_tensor * node) {
    const size_t n = static_cast<size_t>(n_tokens_of(node)) * activation_bytes(node->src[0]->ne[0]);
    if (n <= n_scratch_) return;
    scratch_.reset(new (std::align_val_t{64}) char[n]);
    n_scratch_ = n;
}

// --- on llama.cpp's threads, without allocations or exceptions ---------------------------------

// The part of the scratch memory for some tokens.
TileOfActivations Products::tile(int64_t first_token, int64_t n_tokens, int64_t n_columns) const {
    const auto n = static_cast<size_t>(n_tokens) * static_cast<size_t>(n_columns);
    char * numbers =
        scratch_.get() + static_cast<size_t>(first_token) * activation_bytes(n_columns);
    char * scales = numbers + n;
    char * sums = scales + n / 32 * sizeof(float);
    char * offsets = sums + n / 32 * sizeof(float);
    return {static_cast<int32_t>(n_tokens), reinterpret_cast<int8_t *>(numbers),
            reinterpret_cast<float *>(scales), reinterpret_cast<float *>(sums),
            reinterpret_cast<int32_t *>(offsets)};
}

void Products::on_compute(ggml_tensor * node, int thread, int n_threads, void * self) noexcept {
    static_cast<Products *>(self)->compute(node, thread, n_threads);
}

void Products::compute(ggml_tensor * node, int thread, int n_threads) {
    const ggml_tensor * weights = node->src[0];
    const auto type = weight_type(kernel_, weights->type);
    const int64_t n_columns = weights->ne[0], n_rows = weights->ne[1];
    const int64_t n_tokens = n_tokens_of(node);
    if (!type || static_cast<size_t>(n_tokens) * activation_bytes(n_columns) > n_scratch_) {
        failed_ = true;  // finish() reports it
        return;
    }
    // Queries, keys and values are products with the same activations.
    const Input input{node->src[1], is_k_type(*type)};
    if (!(input == input_)) quantise(input.activations, input.for_k_type, thread, n_threads);
    wait_for_all(input, n_threads);

    const auto in_cache = static_cast<int64_t>(n_turn_bytes / weights->nb[1]);
    int64_t n_in_turn = n_rows / (n_turns * n_threads);
    if (n_tokens > product_tile) n_in_turn = std::min(n_in_turn, in_cache);
    n_in_turn = std::max<int64_t>(1, n_in_turn / kernel_.n_rows) * kernel_.n_rows;
    ProductJob job{};
    job.type = *type;
    job.weights = static_cast<const char *>(weights->data);
    job.row_bytes = weights->nb[1];
    job.n_columns = n_columns;
    job.out_stride = static_cast<size_t>(n_rows);
    // A turn ahead, so that its weights are asked for in time.
    job.next_row = next_row_.fetch_add(n_in_turn);
    while ((job.first_row = job.next_row) < n_rows) {
        job.next_row = next_row_.fetch_add(n_in_turn);
        job.end_row = std::min(n_rows, job.first_row + n_in_turn);
        for (int64_t first = 0; first < n_tokens; first += product_tile) {
            const int64_t n = std::min<int64_t>(product_tile, n_tokens - first);
            job.activations = tile(first, n, n_columns);
            job.out = static_cast<float *>(node->data) + first * n_rows;
            kernel_.multiply(job);
        }
    }
}

void Products::quantise(const ggml_tensor * activations, bool for_k_type, int thread,
                        int n_threads) {
    const int64_t n_columns = activations->ne[0], n_tokens = activations->ne[1];
    for (int64_t t = thread; t < n_tokens; t += n_threads) {
        const int64_t first = t / product_tile * product_tile;
        const int64_t n = std::min<int64_t>(product_tile, n_tokens - first);
        const char * from = static_cast<const char *>(activations->data) +
                            static_cast<size_t>(t) * activations->nb[1];
        kernel_.quantise(reinterpret_cast<const float *>(from), n_columns, for_k_type,
                         static_cast<int32_t>(t - first), tile(first, n, n_columns));
    }
}

// Waits until all activations are quantised. ggml has the threads wait for each other only between
// nodes.
void Products::wait_for_all(const Input & input, int n_threads) {
    const uint32_t meeting = n_meetings_.load();
    if (n_waiting_.fetch_add(1) + 1 == n_threads) {
        input_ = input;
        next_row_ = 0;
        n_waiting_ = 0;
        ++n_meetings_;
        return;
    }
    for (int i = 0; n_meetings_.load() == meeting; ++i) {
        if (i >= n_spins) std::this_thread::yield();
    }
}

}  // namespace hpd
