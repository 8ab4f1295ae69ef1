#pragma once

#include <pybind11/pybind11.h>

namespace hpd {

// A model that says what a test wants it to say.
void bind_script(pybind11::module_ & m);

}  // namespace hpd
