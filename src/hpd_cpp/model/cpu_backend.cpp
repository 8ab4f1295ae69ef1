#include "model/cpu_backend.h"

#include <ggml-backend.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace hpd {

ggml_backend_ptr cpu_backend(int32_t n_threads) {
    ggml_backend_ptr backend(ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr));
    if (!backend) throw std::runtime_error("ggml has no CPU backend");
    ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(ggml_backend_get_device(backend.get()));
    const auto set_n_threads = reinterpret_cast<ggml_backend_set_n_threads_t>(
        ggml_backend_reg_get_proc_address(reg, "ggml_backend_set_n_threads"));
    if (!set_n_threads)
        throw std::runtime_error("the number of threads of ggml's CPU backend cannot be set");
    set_n_threads(backend.get(), n_threads);
    return backend;
}

ggml_backend_buffer_type_t * weight_buffer_types() {
    ggml_backend_dev_t device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    if (!device) throw std::runtime_error("ggml has no CPU backend");
    const auto list =
        reinterpret_cast<ggml_backend_dev_get_extra_bufts_t>(ggml_backend_reg_get_proc_address(
            ggml_backend_dev_backend_reg(device), "ggml_backend_dev_get_extra_bufts"));
    return list ? list(device) : nullptr;
}

void leave_out_amx() {
    ggml_backend_buffer_type_t * begin = weight_buffer_types();
    if (!begin) return;
    ggml_backend_buffer_type_t * end = begin;
    while (*end) ++end;
    // The types after AMX move up, and the list must still end with null.
    std::fill(std::remove_if(begin, end,
                             [](ggml_backend_buffer_type_t each) {
                                 return std::string_view(ggml_backend_buft_name(each)) == "AMX";
                             }),
              end, nullptr);
}

}  // namespace hpd
