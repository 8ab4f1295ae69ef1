#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <string>

#include "errors.h"

// Shared by both extension modules.
namespace hpd {

namespace py = pybind11;

// The whole core is linked into both modules. So exceptions are thrown and caught in the same
// library (some platforms do not recognise their types across two), and _core, which users have,
// does not need _core_testing. Each module thus has a copy of the log, the only process-wide state:
// llama.cpp writes to _core's, which _core_testing gets under this name.
constexpr const char * log_name = "hpd.log";

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

// Translates the core's exceptions into those of hpd.errors, so that C++ and Python raise the same
// classes.
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
