#pragma once

#include <pybind11/pybind11.h>

namespace hpd {

// Binds the parts of the engine that only tests use.
void bind_testing(pybind11::module_ & m);

}  // namespace hpd
