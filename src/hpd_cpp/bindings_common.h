#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <string>

#include "errors.h"

// Shared by both extension modules.
namespace hpd {

namespace py = pybind11;

// Both modules have the whole core linked in, so that exceptions are thrown and caught in one
// library, whatever a platform makes of their types in two, and so that a user's module stands
// alone. What is doubled with it is the log, the only state of the process: _core's copy is what
// llama.cpp writes to, and _core_testing is given that under this name.
constexpr const char * log_name = "hpd.log";

// Deletes without the GIL, as freeing a model or a context takes time for which other Python
// threads need not wait.
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

}  // namespace hpd
