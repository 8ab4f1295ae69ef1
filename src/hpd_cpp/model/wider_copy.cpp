#include "model/wider_copy.h"

#include <ggml-cpp.h>
#include <ggml.h>
#include <gguf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "errors.h"

namespace hpd {

namespace {

// A block of 256 weights has the scales, then (only in Q5_K) the fifth bits, then the four lower
// bits.
constexpr size_t n_scale_bytes = 16;
constexpr size_t n_fifth_bit_bytes = 32;
constexpr size_t n_low_bit_bytes = 128;
constexpr size_t n_q4_k_bytes = n_scale_bytes + n_low_bit_bytes;
constexpr size_t n_q5_k_bytes = n_q4_k_bytes + n_fifth_bit_bytes;
constexpr size_t n_blocks_at_once = 1 << 14;
constexpr uint32_t file_type_q4_k_s = 14, file_type_q4_k_m = 15;
constexpr uint32_t n_to_q5_k = 2;  // from Q4_K_S to Q5_K_S, and from Q4_K_M to Q5_K_M

void widen(const std::vector<char> & narrow, std::vector<char> & wide) {
    const size_t n_blocks = narrow.size() / n_q4_k_bytes;
    wide.assign(n_blocks * n_q5_k_bytes, 0);
    for (size_t i = 0; i < n_blocks; ++i) {
        const char * from = narrow.data() + i * n_q4_k_bytes;
        char * to = wide.data() + i * n_q5_k_bytes;
        std::memcpy(to, from, n_scale_bytes);
        std::memcpy(to + n_scale_bytes + n_fifth_bit_bytes, from + n_scale_bytes, n_low_bit_bytes);
    }
}

void set_file_type(gguf_context * header) {
    const int64_t key = gguf_find_key(header, "general.file_type");
    if (key < 0 || gguf_get_kv_type(header, key) != GGUF_TYPE_UINT32) return;
    const uint32_t type = gguf_get_val_u32(header, key);
    if (type == file_type_q4_k_s || type == file_type_q4_k_m) {
        gguf_set_val_u32(header, "general.file_type", type + n_to_q5_k);
    }
}

}  // namespace

int32_t write_wider_copy(const std::string & source, const std::string & target) {
    ggml_context * tensors = nullptr;
    const gguf_context_ptr in(gguf_init_from_file(source.c_str(), {/*no_alloc=*/true, &tensors}));
    const ggml_context_ptr owned(tensors);
    std::ifstream from(std::filesystem::u8path(source), std::ios::binary);
    if (!in || !from) throw ModelLoadError(source + ": cannot be read");
    const gguf_context_ptr out(gguf_init_empty());
    gguf_set_kv(out.get(), in.get());
    set_file_type(out.get());
    int32_t n_widened = 0;
    for (ggml_tensor * each = ggml_get_first_tensor(tensors); each;
         each = ggml_get_next_tensor(tensors, each)) {
        gguf_add_tensor(out.get(), each);
        if (each->type != GGML_TYPE_Q4_K) continue;
        gguf_set_tensor_type(out.get(), ggml_get_name(each), GGML_TYPE_Q5_K);
        ++n_widened;
    }

    std::ofstream to(std::filesystem::u8path(target), std::ios::binary);
    std::vector<char> header(gguf_get_meta_size(out.get()));
    gguf_get_meta_data(out.get(), header.data());
    to.write(header.data(), static_cast<std::streamsize>(header.size()));
    const size_t alignment = gguf_get_alignment(out.get());
    std::vector<char> part, wide;
    for (int64_t i = 0; i < gguf_get_n_tensors(in.get()); ++i) {
        const bool is_widened = gguf_get_tensor_type(in.get(), i) == GGML_TYPE_Q4_K;
        size_t n_left = gguf_get_tensor_size(in.get(), i);
        const size_t offset = gguf_get_data_offset(in.get()) + gguf_get_tensor_offset(in.get(), i);
        from.seekg(static_cast<std::streamoff>(offset));
        size_t n_written = 0;
        while (n_left > 0) {
            part.resize(std::min(n_left, n_blocks_at_once * n_q4_k_bytes));
            if (!from.read(part.data(), static_cast<std::streamsize>(part.size()))) {
                throw ModelLoadError(source + ": it ends before its last tensor");
            }
            n_left -= part.size();
            if (is_widened) widen(part, wide);
            const std::vector<char> & written = is_widened ? wide : part;
            to.write(written.data(), static_cast<std::streamsize>(written.size()));
            n_written += written.size();
        }
        const std::vector<char> padding(GGML_PAD(n_written, alignment) - n_written, 0);
        to.write(padding.data(), static_cast<std::streamsize>(padding.size()));
    }
    to.close();
    if (!to) throw ModelLoadError(target + ": cannot be written");
    return n_widened;
}

}  // namespace hpd
