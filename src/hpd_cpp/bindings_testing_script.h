#pragma once

#include <pybind11/pybind11.h>

namespace hpd {

// Binds follow_script(), which replaces a model's logits with a test's.
void bind_script(pybind11::module_ & m);

}  // namespace hpd
