#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attention/kernel.h"

namespace hpd {

// Taking over llama.cpp's attention nodes relies on how ggml lays out their parameters, and on its
// asking about all nodes before it computes any; neither is promised. So both are tried, with this
// library on this machine.

// Why the kernel cannot stand in for llama.cpp's attention, in words; empty: it can.
std::string attention_problem(const AttentionKernel & kernel);

// The kernels that this processor could run, the fastest first, each with its problem.
std::vector<std::pair<std::string, std::string>> attention_problems();

// The first of them that can; of each one before it a line in the log says why it cannot.
std::optional<AttentionKernel> first_usable(const std::vector<AttentionKernel> & kernels);

// The fastest kernel that can be used here, found out once in a process.
const std::optional<AttentionKernel> & usable_kernel();

}  // namespace hpd
