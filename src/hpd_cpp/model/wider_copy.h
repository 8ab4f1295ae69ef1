#pragma once

#include <cstdint>
#include <string>

namespace hpd {

// Writes a copy of a GGUF file in which every tensor of type Q4_K is one of type Q5_K with the same
// weights: a block of Q4_K is a block of Q5_K whose fifth bits are all 0. Some processors read Q5_K
// faster, as ggml has better kernels for it. Returns the number of these tensors. Throws
// ModelLoadError if the source cannot be read or the copy cannot be written.
int32_t write_wider_copy(const std::string & source, const std::string & target);

}  // namespace hpd
