#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "drafting/drafter.h"
#include "drafting/model_drafter.h"
#include "model/context.h"
#include "model/model.h"
#include "observers.h"
#include "options.h"
#include "sampling/value_writer.h"
#include "scheduling/scheduler.h"

namespace hpd {

// Hyper-parallel decoding: takes requests and returns values, with as many fields and requests in a
// batch as fit. A step is schedule -> decode -> accept -> retire.
//
// Not thread-safe, except where noted.
class Engine {
public:
    Engine(std::shared_ptr<const Model> model, const EngineOptions & options);

    void submit(std::unique_ptr<Request> request) { scheduler_.submit(std::move(request)); }
    bool wants_request() const { return scheduler_.wants_request(); }
    // Whether there is nothing to decode and no finished request to return. A refused request
    // counts as finished.
    bool idle() const { return scheduler_.idle() && !scheduler_.has_finished(); }

    // Decodes one batch and returns the requests that it finished, in any order.
    std::vector<std::unique_ptr<Request>> step();

    // Releases a prompt that was submitted with keep_prompt.
    void forget_prompt(const std::vector<Token> & prompt);

    // Decodes batches until a request has finished, a value can be taken, wants_request() becomes
    // true, nothing is left to decode, or interrupt() has aborted a decode. Returns the finished
    // requests. wake() makes it return after the current batch.
    std::vector<std::unique_ptr<Request>> advance();

    // Returns the values that were finished since the last call, of requests with streams_values,
    // each with the id of its request and the index of its field.
    std::vector<std::tuple<uint64_t, size_t, Value>> take_values() {
        return std::exchange(finished_values_, {});
    }

    // Thread-safe. If advance() is not running, the next call returns at once.
    void wake() { woken_ = true; }

    // Adds an example's value of an attribute to the drafter's history, as if it came from a
    // document. Does nothing without drafts.
    void seed_drafter(uint64_t attribute, const std::vector<Token> & tokens);

    // Cancels requests by id, waiting or running, without affecting others.
    void cancel(const std::set<uint64_t> & ids);

    // Cancels every request.
    void cancel_all();

    // While on, decodes are aborted; lost tokens are decoded again later. Thread-safe.
    void interrupt(bool on);

    // As of the last batch. Thread-safe.
    EngineStats stats() const { return recorder_.stats(); }
    uint32_t n_ctx() const { return context_.n_cells(); }

    // Recounts all budgets after every step. Always on in debug builds, otherwise in tests.
    void check_every_step(bool on) { check_ = on; }

    // For tests: replaces functions of llama.cpp, also for the draft model.
    void replace_calls(const FallibleCalls & calls);

    // For tests: takes rows of logits from a script instead of from the model.
    using Script = std::function<LogitRow(const Value &)>;
    void follow(Script script) { script_ = std::move(script); }

    // For tests: sets the least probability at which guesses are made.
    void fix_least_probability(double p);

private:
    bool decode_batch();
    DecodeStatus decode(const BatchPlan & plan);
    void accept(const BatchPlan & plan);
    void retire(Value & value);
    void start_again(bool shrink);
    void clear_caches();
    void check() const;

    std::shared_ptr<const Model> model_;
    Context context_;
    std::unique_ptr<Drafter> drafter_;  // null if drafts are off or cells cannot be trimmed
    std::unique_ptr<ModelDrafter> model_drafter_;  // null without a draft model, or likewise
    Scheduler scheduler_;
    ValueWriter writer_;
    Script script_;
    std::vector<std::tuple<uint64_t, size_t, Value>> finished_values_;
    std::atomic<bool> woken_{false};
#ifdef NDEBUG
    bool check_ = false;
#else
    bool check_ = true;
#endif
    StepRecorder recorder_;
    AbortWatch abort_watch_;
};

}  // namespace hpd
