#pragma once

#include <pybind11/pybind11.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <type_traits>

#include "errors.h"

// What both extension modules need.
namespace hpd {

namespace py = pybind11;

// Both modules have the whole core linked in, so that exceptions are thrown and caught in one
// library, whatever a platform makes of their types in two, and so that a user's module stands
// alone. What is doubled with it is the log, the only state of the process: _core's copy is what
// llama.cpp writes to, and _core_testing is given that under this name.
constexpr const char * log_name = "hpd.log";

// Deletes without the GIL, whoever drops the last reference: freeing a model or a context takes its
// time, which other Python threads need not wait for.
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

// Python's exceptions of these names, from hpd.errors: one class each, whoever raises it.
inline void translate_errors() {
    py::register_local_exception_translator([](std::exception_ptr p) {
        const auto raise = [](const char * name, const std::exception & e) {
            const py::object type = py::module_::import("hpd.errors").attr(name);
            py::set_error(type, e.what());
        };
        try {
            if (p) std::rethrow_exception(p);
        } catch (const InputError & e) {
            raise("InputError", e);
        } catch (const ModelLoadError & e) {
            raise("ModelLoadError", e);
        } catch (const ContextOverflowError & e) {
            raise("ContextOverflowError", e);
        } catch (const EngineClosedError & e) {
            raise("EngineClosedError", e);
        } catch (const DecodeError & e) {
            raise("DecodeError", e);
        } catch (const Error & e) {
            raise("HpdError", e);
        }
    });
}

// A whole number from Python; one that does not fit is refused by name. Cells and tokens are
// counted with 32 bits and a sign, also where llama.cpp's type has none.
template <class Whole>
Whole whole_number(const std::string & name, const py::object & given) {
    const auto value = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
    if (!value) {
        PyErr_Clear();
        throw py::type_error(name + " must be a whole number, not " + std::string(py::repr(given)));
    }
    using Limits = std::numeric_limits<std::conditional_t<sizeof(Whole) == 4, int32_t, Whole>>;
    const py::int_ lowest(std::is_signed_v<Whole> ? Limits::min() : 0);
    const py::int_ highest(Limits::max());
    if (value < lowest || value > highest) {
        throw py::value_error(name + " must be between " + std::string(py::str(lowest)) + " and " +
                              std::string(py::str(highest)) + ", not " +
                              std::string(py::str(value)));
    }
    return value.cast<Whole>();
}

// Likewise a number for a float, which must be finite.
inline float finite_number(const std::string & name, const py::object & given) {
    const double value = PyFloat_AsDouble(given.ptr());
    bool is_too_large = !(std::abs(value) <= std::numeric_limits<float>::max());
    if (value == -1.0 && PyErr_Occurred()) {
        is_too_large = PyErr_ExceptionMatches(PyExc_OverflowError);
        PyErr_Clear();
        if (!is_too_large) {
            throw py::type_error(name + " must be a number, not " + std::string(py::repr(given)));
        }
    }
    if (is_too_large) {
        throw py::value_error(name + " must be a finite number, not " +
                              std::string(py::repr(given)));
    }
    return static_cast<float>(value);
}

}  // namespace hpd
