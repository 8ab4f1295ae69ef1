#pragma once

#include <pybind11/pybind11.h>

namespace hpd {

// Binds functions that make calls of llama.cpp fail.
void bind_faults(pybind11::module_ & m);

}  // namespace hpd
