#pragma once

#include <string>

namespace hpd {

// llama.cpp writes its log through one global callback. From capture_log() on, the last lines are
// kept in memory and shown only when asked for: on failure, or with echo.
void capture_log();

// Writes every line to stderr as it comes, too.
void echo_log(bool on);

// The warnings and errors among the last lines, oldest first.
std::string recent_log();

// A message, and behind it what llama.cpp had to say.
std::string with_recent_log(const std::string & message);

}  // namespace hpd
