#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attention/kernel.h"

namespace hpd {

// Replacing llama.cpp's attention nodes relies on ggml's layout of their parameters, and on it
// asking about all nodes before computing any; neither is documented. So both are tested, with this
// library on this machine.

// Why the kernel cannot replace llama.cpp's attention; empty: it can.
std::string attention_problem(const AttentionKernel & kernel);

// The kernels that this processor could run, fastest first, each with its problem.
std::vector<std::pair<std::string, std::string>> attention_problems();

// The first usable kernel; logs why those before it are not.
std::optional<AttentionKernel> first_usable(const std::vector<AttentionKernel> & kernels);

// The fastest usable kernel, determined once per process.
const std::optional<AttentionKernel> & usable_kernel();

}  // namespace hpd
