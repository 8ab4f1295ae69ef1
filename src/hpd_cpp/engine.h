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

// Hyper-parallel decoding: requests in, their values out, as many fields and requests in one batch
// as fit. schedule -> decode -> accept -> retire.
//
// One thread at a time, but where it says so.
class Engine {
public:
    Engine(std::shared_ptr<const Model> model, const EngineOptions & options);

    void submit(Request request);
    bool wants_request() const { return scheduler_.wants_request(); }
    // Nothing is left to decode, and nothing to hand out: a request that was refused when it came
    // has a result all the same.
    bool idle() const { return scheduler_.idle() && !scheduler_.has_finished(); }

    // Decodes one batch; returns the requests that are finished by it, in any order.
    std::vector<std::unique_ptr<RequestState>> step();

    // Nothing more will be asked of a prompt that was submitted with keep_prompt.
    void forget_prompt(const std::vector<Token> & prompt);

    // Decodes batches until a request has finished, a value is there to be told, another request is
    // wanted that was not wanted at the call, nothing is left, or a decode was ended by
    // interrupt(); returns the requests that are finished. wake() makes it return after the batch
    // under way.
    std::vector<std::unique_ptr<RequestState>> advance();

    // The values of requests with tells_values that are done since the last call, each with the id
    // of its request and the place of its field.
    std::vector<std::tuple<uint64_t, size_t, Value>> take_values() {
        return std::exchange(told_, {});
    }

    // From any thread. While nothing advances the next advance() returns at once.
    void wake() { woken_ = true; }

    // A value that the attribute has in some example: its tokens, as the model would write them,
    // are guessed as if a document had had it. Without drafts nothing is learnt.
    void seed_drafter(uint64_t attribute, const std::vector<Token> & tokens);

    // Gives up on requests of these ids, waiting or running; others do not notice.
    void cancel(const std::set<uint64_t> & ids);

    // Gives up on every request.
    void cancel_all();

    // Decodes are ended in the middle while it is on; what was lost is decoded again later. From
    // any thread.
    void interrupt(bool on);

    // After the last batch. From any thread.
    EngineStats stats() const { return recorder_.stats(); }
    uint32_t n_ctx() const { return context_.n_cells(); }

    // Recounts all budgets after every step. Always on in debug builds, otherwise in tests.
    void check_every_step(bool on) { check_ = on; }

    // For tests: llama.cpp is called by these, for the draft model, too.
    void replace_calls(const FallibleCalls & calls);

    // For tests: a row of logits is what this says for its value, whatever was computed.
    using Script = std::function<LogitRow(const Value &)>;
    void follow(Script script) { script_ = std::move(script); }

    // For tests: guesses as likely as this are made, however many values share a step.
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
    std::unique_ptr<Drafter> drafter_;  // none where drafts are off, or cells cannot be trimmed
    std::unique_ptr<ModelDrafter> model_drafter_;  // likewise
    Scheduler scheduler_;
    ValueWriter writer_;
    Script script_;
    std::vector<std::tuple<uint64_t, size_t, Value>> told_;
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
