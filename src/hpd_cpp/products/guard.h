#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "products/kernel.h"

namespace hpd {

// Replacing llama.cpp's products relies on ggml's layouts of weights and nodes, so the kernel is
// tested with the installed library on this machine.

// Returns why the kernel cannot replace llama.cpp's products; empty if it can.
std::string product_problem(const ProductKernel & kernel);

// Returns the kernels that this processor can run, fastest first, each with its problem.
std::vector<std::pair<std::string, std::string>> product_problems();

// Returns the fastest usable kernel, which is determined once per process; nothing if there is
// none, or if llama.cpp uses the processor's matrix unit (AMX), which is faster.
const std::optional<ProductKernel> & usable_product_kernel();

}  // namespace hpd
