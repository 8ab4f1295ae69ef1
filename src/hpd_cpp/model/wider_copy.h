#pragma once

#include <cstdint>
#include <string>

namespace hpd {

// Writes a copy of a GGUF file in which every tensor of type Q4_K becomes one of type Q5_K with the
// same weights: a block of Q4_K is a block of Q5_K whose fifth bits are all 0. Q5_K is faster on
// some processors, for which ggml has better kernels of it. Returns the number of such tensors.
// Throws ModelLoadError if the source cannot be read or the copy cannot be written.
int32_t write_wider_copy(const std::string & source, const std::string & target);

}  // namespace hpd
