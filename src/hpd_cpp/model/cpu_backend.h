#pragma once

#include <ggml-cpp.h>

#include <cstdint>

namespace hpd {

// ggml's CPU, with so many threads; for graphs that are computed without a model.
ggml_backend_ptr cpu_backend(int32_t n_threads);

}  // namespace hpd
