#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hpd {

// Loads the backends among the libraries in a folder, and of the CPU variants the best one for this
// processor. Needed if llama.cpp was built with GGML_BACKEND_DL. Throws Error if no CPU variant can
// run here.
void load_backends(const std::string & folder);

// Returns the path of the library with ggml's CPU code; empty where the system does not tell.
std::string cpu_library();

std::string llama_cpp_version();

// Returns what llama.cpp was built for, and the processor's features that it uses.
std::string system_info();

bool supports_gpu_offload();

// Returns each device's type (CPU, GPU, IGPU, ACCEL, META) and description.
std::vector<std::pair<std::string, std::string>> devices();

// Writes a copy of a model with weights of another type. Types are llama.cpp's numbers: file_type a
// llama_ftype, the other two ggml_types. Without a type for the output or embedding matrix,
// llama.cpp chooses it. Returns 0, or llama.cpp's error code.
uint32_t quantize(const std::string & source, const std::string & output, int32_t file_type,
                  std::optional<int32_t> output_type, std::optional<int32_t> embedding_type);

}  // namespace hpd
