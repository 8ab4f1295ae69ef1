#pragma once

#include <ggml-cpp.h>

#include <cstdint>

namespace hpd {

// ggml's CPU backend, for graphs that are computed without a model.
ggml_backend_ptr cpu_backend(int32_t n_threads);

// The kinds of memory for weights that ggml tries in turn, each with kernels of its own for them,
// before the ordinary one; ends with null. Itself null in a build of ggml that has no such list.
ggml_backend_buffer_type_t * weights_memories();

// Removes AMX from that list, for the whole process. llama.cpp's own switch (use_extra_bufts) would
// also disable repacked weights, with which Q4_0 is much faster.
void leave_out_amx();

}  // namespace hpd
