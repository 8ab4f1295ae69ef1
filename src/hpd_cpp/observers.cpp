#include "observers.h"

#include <string>
#include <utility>

#include "errors.h"

namespace hpd {

namespace {

using Clock = std::chrono::steady_clock;

// One or two aborts may be noticed only after interrupt(false).
constexpr int32_t max_aborts = 8;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

StepRecorder::Step::Step(StepRecorder & recorder, const Scheduler & scheduler,
                         const Context & context, const ModelDrafter * model_drafter)
    : recorder_(recorder), scheduler_(scheduler), context_(context), model_drafter_(model_drafter) {
    recorder_.waited_ = 0.0;
}

StepRecorder::Step::~Step() {
    EngineStats & stats = recorder_.stats_;
    double & waited = recorder_.waited_;
    if (model_drafter_) {
        const double drafted = model_drafter_->seconds();
        waited += drafted - std::exchange(recorder_.drafted_, drafted);
        stats.n_draft_batches = model_drafter_->n_batches();
    }
    stats.decode_seconds += waited;
    stats.host_seconds += seconds_since(began_) - waited;
    stats.n_preempted = scheduler_.n_preempted();
    stats.n_graphs = context_.n_graphs();
    stats.n_graphs_reused = context_.n_graphs_reused();
    stats.n_attention_taken = context_.n_attention_taken();
    stats.n_attention_left = context_.n_attention_left();
    stats.n_products_taken = context_.n_products_taken();
    const std::lock_guard<std::mutex> lock(recorder_.mutex_);
    recorder_.published_ = stats;
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

EngineStats StepRecorder::stats() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return published_;
}

void AbortWatch::decode_ended(DecodeStatus status, bool is_stopped) {
    const bool unasked = status == DecodeStatus::aborted && !is_stopped;
    n_aborts_ = unasked ? n_aborts_ + 1 : 0;
    if (n_aborts_ < max_aborts) return;
    n_aborts_ = 0;
    throw DecodeError("llama.cpp has aborted " + std::to_string(max_aborts) +
                      " decodes in a row, although no interruption was requested");
}

}  // namespace hpd
