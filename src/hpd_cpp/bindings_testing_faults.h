#pragma once

#include <pybind11/pybind11.h>

namespace hpd {

// Calls of llama.cpp that fail when a test wants them to.
void bind_faults(pybind11::module_ & m);

}  // namespace hpd
