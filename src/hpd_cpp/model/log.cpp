#include "model/log.h"

#include <llama.h>

#include <atomic>
#include <cstdio>
#include <deque>
#include <mutex>

namespace hpd {

namespace {

constexpr size_t n_lines_kept = 20;

std::mutex mutex;
std::deque<std::string> lines;  // warnings and errors
std::atomic<bool> echo{false};
bool line_is_kept = false;

void receive(ggml_log_level level, const char * text, void *) {
    if (echo) std::fputs(text, stderr);
    const std::lock_guard<std::mutex> lock(mutex);
    // CONT goes on with the line before.
    if (level != GGML_LOG_LEVEL_CONT) {
        line_is_kept = level == GGML_LOG_LEVEL_WARN || level == GGML_LOG_LEVEL_ERROR;
        if (line_is_kept) lines.emplace_back();
    }
    if (line_is_kept && !lines.empty()) lines.back() += text;
    if (lines.size() > n_lines_kept) lines.pop_front();
}

}  // namespace

void capture_log() { llama_log_set(receive, nullptr); }

void echo_log(bool on) { echo = on; }

std::string recent_log() {
    const std::lock_guard<std::mutex> lock(mutex);
    std::string all;
    for (const std::string & line : lines) all += line;
    return all;
}

std::string with_recent_log(const std::string & message) {
    const std::string log = recent_log();
    return log.empty() ? message : message + "\nllama.cpp said:\n" + log;
}

}  // namespace hpd
