#pragma once

#include <pybind11/pybind11.h>

// Shared by the files that bind.
namespace hpd {

namespace py = pybind11;

// Deletes without the GIL: freeing a model or a context takes time, and other Python threads need
// not wait for it.
struct WithoutGil {
    template <class T>
    void operator()(T * object) const {
        if (Py_IsInitialized() && !is_finalizing() && PyGILState_Check()) {
            const py::gil_scoped_release release;
            delete object;
        } else {
            delete object;
        }
    }

private:
    static bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
        return Py_IsFinalizing();
#else
        return _Py_IsFinalizing();
#endif
    }
};

}  // namespace hpd
