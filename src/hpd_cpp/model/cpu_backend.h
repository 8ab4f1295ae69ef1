#pragma once

#include <ggml-cpp.h>

#include <cstdint>

namespace hpd {

// Returns ggml's CPU backend, for graphs that are computed without a model.
ggml_backend_ptr cpu_backend(int32_t n_threads);

// Returns the buffer types for weights that ggml tries, in this order, before the default one; each
// has its own kernels. The list ends with null. Returns nullptr if this build of ggml has no such
// list.
ggml_backend_buffer_type_t * weight_buffer_types();

// Removes AMX from that list, for the whole process. llama.cpp's own switch (use_extra_bufts) would
// also disable repacked weights, with which Q4_0 is much faster.
void leave_out_amx();

}  // namespace hpd
