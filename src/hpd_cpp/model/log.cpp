#include "model/log.h"

#include <llama.h>

#include <atomic>
#include <cstdio>
#include <deque>
#include <mutex>

namespace hpd {

namespace {

constexpr size_t n_lines_kept = 20;

struct LogState {
    std::mutex mutex;
    std::deque<std::string> lines;  // the last warnings and errors
    uint64_t n_lines = 0;           // since the start, also those dropped
    bool line_is_kept = false;      // whether the current line is one of them
    std::atomic<bool> echo{false};
} state;

void add_line(const char * text) {
    state.lines.emplace_back(text);
    ++state.n_lines;
    if (state.lines.size() > n_lines_kept) state.lines.pop_front();
}

void receive(ggml_log_level level, const char * text, void *) noexcept {
    if (state.echo) std::fputs(text, stderr);
    try {
        const std::lock_guard<std::mutex> lock(state.mutex);
        if (level == GGML_LOG_LEVEL_CONT) {  // continues the current line
            if (state.line_is_kept && !state.lines.empty()) state.lines.back() += text;
            return;
        }
        state.line_is_kept = level == GGML_LOG_LEVEL_WARN || level == GGML_LOG_LEVEL_ERROR;
        if (state.line_is_kept) add_line(text);
    } catch (...) {
        // Out of memory: the line is lost. llama.cpp's C code must not be unwound.
    }
}

}  // namespace

void capture_log() { llama_log_set(receive, nullptr); }

void echo_log(bool on) { state.echo = on; }

void warn(const std::string & text) {
    const std::string line = "hpd: " + text + "\n";
    std::fputs(line.c_str(), stderr);
    const std::lock_guard<std::mutex> lock(state.mutex);
    add_line(line.c_str());
}

LogSince::LogSince() {
    const std::lock_guard<std::mutex> lock(state.mutex);
    n_before_ = state.n_lines;
}

std::string LogSince::lines() const {
    const std::lock_guard<std::mutex> lock(state.mutex);
    const uint64_t n_dropped = state.n_lines - state.lines.size();
    std::string all;
    for (size_t i = 0; i < state.lines.size(); ++i) {
        if (n_dropped + i >= n_before_) all += state.lines[i];
    }
    return all;
}

std::string LogSince::appended_to(const std::string & message) const {
    const std::string log = lines();
    return log.empty() ? message : message + "\nllama.cpp said:\n" + log;
}

}  // namespace hpd
