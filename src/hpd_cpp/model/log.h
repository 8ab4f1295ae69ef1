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

// Records a warning of hpd's own: kept like llama.cpp's, and always written to stderr.
void warn(const std::string & text);

// What is logged from its construction on: llama.cpp's lines during a call, for an error message.
class LogSince {
public:
    LogSince();

    // Returns the warnings and errors, oldest first.
    std::string lines() const;

    // Returns a message followed by llama.cpp's lines.
    std::string appended_to(const std::string & message) const;

private:
    uint64_t n_before_;
};

}  // namespace hpd
