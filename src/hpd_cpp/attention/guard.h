#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attention/kernel.h"

namespace hpd {

// Replacing llama.cpp's attention nodes relies on how ggml lays out their parameters, and on its
// asking about all nodes before it computes any. Neither is documented, so both are tested with the
// installed library on this machine.

// Returns why the kernel cannot replace llama.cpp's attention; empty if it can.
std::string attention_problem(const AttentionKernel & kernel);

// Returns the kernels that this processor can run, fastest first, each with its problem.
std::vector<std::pair<std::string, std::string>> attention_problems();

// Returns the first usable kernel, and warns why the ones before it are not usable.
std::optional<AttentionKernel> first_usable(const std::vector<AttentionKernel> & kernels);

// Returns the fastest usable kernel, which is determined once per process.
const std::optional<AttentionKernel> & usable_kernel();

}  // namespace hpd
