#pragma once

#include <cstdint>
#include <string>

namespace hpd {

// llama.cpp writes its log through one global callback. From capture_log() on, the last warnings
// and errors are kept in memory and shown only when asked for: in the message of a failure, or
// with echo.
void capture_log();

// Also writes every line to stderr.
void echo_log(bool on);

// A warning of hpd: kept like llama.cpp's, and always written to stderr.
void warn(const std::string & text);

// The log from here on: llama.cpp's lines during a call, for the message of its failure.
class LogSince {
public:
    LogSince();

    // The warnings and errors, oldest first.
    std::string lines() const;

    // A message followed by llama.cpp's lines.
    std::string behind(const std::string & message) const;

private:
    uint64_t n_before_;
};

// A second extension module in the process has a second copy of this code, but llama.cpp has one
// log: the second module uses what the first one keeps.
struct LogState;
LogState * log_state();
void use_log_state(LogState * state);

}  // namespace hpd
