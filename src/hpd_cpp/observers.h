#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include "drafting/model_drafter.h"
#include "model/context.h"
#include "scheduling/batch_plan.h"
#include "scheduling/scheduler.h"

namespace hpd {

struct EngineStats {
    uint64_t n_batches = 0;       // decode calls
    uint64_t n_tokens = 0;        // tokens in them
    uint64_t n_rows = 0;          // rows of logits that llama.cpp computed for them
    uint64_t n_graphs = 0;  // graphs that llama.cpp computed, without the draft model's
    uint64_t n_graphs_reused = 0;  // of these, graphs reused from the batch before
    uint64_t n_preempted = 0;  // times that a request was stopped, to start again later
    uint64_t n_draft_batches = 0;  // decode calls of the draft model
    uint64_t n_attention_taken = 0;  // attention nodes that hpd's kernel computed
    uint64_t n_attention_left = 0;  // nodes that it left to llama.cpp; 0 if it is off
    uint64_t n_products_taken = 0;  // products with weights that hpd's kernel computed
    double decode_seconds = 0.0;  // waiting for llama.cpp, including the draft model
    double reading_seconds = 0.0;  // of these, the share for tokens of prompts and keys
    double host_seconds = 0.0;  // scheduling and choosing tokens
};

// Counts and times the steps of an engine, called from its thread.
class StepRecorder {
public:
    // One step, from construction to destruction.
    class Step {
    public:
        Step(StepRecorder & recorder, const Scheduler & scheduler, const Context & context,
             const ModelDrafter * model_drafter);
        ~Step();
        Step(const Step &) = delete;

    private:
        StepRecorder & recorder_;
        const Scheduler & scheduler_;
        const Context & context_;
        const ModelDrafter * model_drafter_;
        std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    };

    void decode_begins();
    void decode_ends(const BatchPlan & plan, DecodeStatus status);

    // As of the last step. Thread-safe.
    EngineStats stats() const;

private:
    std::chrono::steady_clock::time_point decode_began_;
    double waited_ = 0.0;  // for llama.cpp, in this step
    double drafted_ = 0.0;  // for the draft model, before this step
    EngineStats stats_;
    mutable std::mutex mutex_;
    EngineStats published_;  // a copy, for other threads
};

// Detects decodes that repeatedly abort without being asked to.
class AbortWatch {
public:
    // Throws DecodeError if documents would be restarted forever.
    void decode_ended(DecodeStatus status, bool is_stopped);

private:
    int32_t n_aborts_ = 0;  // consecutive aborts that were not requested
};

}  // namespace hpd
