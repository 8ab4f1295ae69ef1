#include "model/cpu_backend.h"

#include <ggml-backend.h>

#include <stdexcept>

namespace hpd {

ggml_backend_ptr cpu_backend(int32_t n_threads) {
    ggml_backend_ptr backend(ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr));
    if (!backend) throw std::runtime_error("ggml has no CPU backend");
    ggml_backend_reg_t reg = ggml_backend_dev_backend_reg(ggml_backend_get_device(backend.get()));
    const auto set_n_threads = reinterpret_cast<ggml_backend_set_n_threads_t>(
        ggml_backend_reg_get_proc_address(reg, "ggml_backend_set_n_threads"));
    if (!set_n_threads) throw std::runtime_error("ggml's CPU backend takes no number of threads");
    set_n_threads(backend.get(), n_threads);
    return backend;
}

}  // namespace hpd
