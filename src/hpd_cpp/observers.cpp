#include "observers.h"

#include <string>
#include <utility>

#include "errors.h"

namespace hpd {

namespace {

using Clock = std::chrono::steady_clock;

// One or two may follow an interrupt() that is over by now.
constexpr int32_t most_aborts = 8;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

void StepRecorder::step_begins() {
    step_began_ = Clock::now();
    waited_ = 0.0;
}

void StepRecorder::decode_begins() { decode_began_ = Clock::now(); }

void StepRecorder::decode_ends(const BatchPlan & plan, DecodeStatus status) {
    waited_ = seconds_since(decode_began_);
    if (status != DecodeStatus::ok) return;
    const auto n_tokens = static_cast<double>(plan.batch.size());
    stats_.reading_seconds += waited_ * plan.n_read / n_tokens;
    ++stats_.n_batches;
    stats_.n_tokens += plan.batch.size();
    stats_.n_rows += static_cast<uint64_t>(plan.n_rows);
}

void StepRecorder::step_ends(const Scheduler & scheduler, const Context & context,
                             const ModelDrafter * model_drafter) {
    if (model_drafter) {
        waited_ += model_drafter->seconds() - std::exchange(drafted_, model_drafter->seconds());
        stats_.n_draft_batches = model_drafter->n_batches();
    }
    stats_.decode_seconds += waited_;
    stats_.host_seconds += seconds_since(step_began_) - waited_;
    stats_.n_preempted = scheduler.n_preempted();
    stats_.n_graphs = context.n_graphs();
    stats_.n_graphs_reused = context.n_graphs_reused();
    stats_.n_attention_taken = context.n_attention_taken();
    stats_.n_attention_left = context.n_attention_left();
    const std::lock_guard<std::mutex> lock(mutex_);
    published_ = stats_;
}

EngineStats StepRecorder::stats() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return published_;
}

void AbortWatch::decode_ended(DecodeStatus status, bool is_stopped) {
    const bool unasked = status == DecodeStatus::aborted && !is_stopped;
    n_aborts_ = unasked ? n_aborts_ + 1 : 0;
    if (n_aborts_ < most_aborts) return;
    n_aborts_ = 0;
    throw DecodeError("llama.cpp has ended " + std::to_string(most_aborts) +
                      " decodes in a row before their time, which nobody asked for");
}

}  // namespace hpd
