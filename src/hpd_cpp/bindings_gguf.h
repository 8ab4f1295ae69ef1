#pragma once

#include <pybind11/pybind11.h>

namespace hpd {

void bind_gguf(pybind11::module_ & m);

}  // namespace hpd
