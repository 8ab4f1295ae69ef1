#pragma once

#include <stdexcept>

namespace hpd {

// Base of the core's exceptions. Each has a Python exception of the same name in hpd.errors, except
// Error, which is HpdError there.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct InputError : Error {
    using Error::Error;
};

struct ModelLoadError : Error {
    using Error::Error;
};

struct ContextOverflowError : Error {
    using Error::Error;
};

struct DecodeError : Error {
    using Error::Error;
};

struct EngineClosedError : Error {
    using Error::Error;
};

}  // namespace hpd
