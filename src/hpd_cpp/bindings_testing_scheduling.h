#pragma once

#include <pybind11/pybind11.h>

namespace hpd {

// The scheduler and its parts alone, for tests that play the model.
void bind_scheduling(pybind11::module_ & m);

}  // namespace hpd
