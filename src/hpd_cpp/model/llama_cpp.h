#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hpd {

// Loads the backends among the libraries of a folder, and of the CPU's variants the best for this
// processor; for a llama.cpp that was built with GGML_BACKEND_DL. Throws Error if no variant of the
// CPU's can run here.
void load_backends(const std::string & folder);

// The file that ggml's CPU code is in; empty where the system does not tell.
std::string cpu_library();

std::string llama_cpp_version();

// What it was built for, and the features of the processor that it uses.
std::string system_info();

bool supports_gpu_offload();

// Each device's type (CPU, GPU, IGPU, ACCEL, META) and description.
std::vector<std::pair<std::string, std::string>> devices();

// Writes a model with weights of another type. All types are llama.cpp's numbers (llama_ftype,
// ggml_type); those of the two matrices are its own choice if they are not given. Returns 0, or
// llama.cpp's code of an error.
uint32_t quantize(const std::string & source, const std::string & output, int32_t file_type,
                  std::optional<int32_t> output_type, std::optional<int32_t> embedding_type);

}  // namespace hpd
