#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "drafting/drafter.h"
#include "scheduling/admission.h"
#include "scheduling/batch_filler.h"
#include "scheduling/batch_plan.h"
#include "scheduling/forecast.h"
#include "scheduling/holdings.h"
#include "scheduling/limits.h"
#include "scheduling/request.h"

namespace hpd {

// Decides what goes into the next batch. Pure: it knows tokens, sequences and budgets, but not
// llama.cpp. The cache operations that it wants are part of a BatchPlan.
//
// Requests are served in the order of submission. The oldest running request can always finish:
// when cells run short, the youngest requests give theirs back and start again later.
class Scheduler {
public:
    // Called before a batch is filled, with the values that it is to hold: fills in their
    // `proposed`.
    using Propose = std::function<void(const std::vector<Value *> &)>;

    explicit Scheduler(const Limits & limits, Drafter * drafter = nullptr,
                       Propose propose = nullptr);

    void submit(std::unique_ptr<Request> request);

    // Whether another request could soon be started, so that the caller can make requests lazily.
    bool wants_request() const;
    bool idle() const { return waiting_.empty() && running_.empty(); }
    bool has_finished() const { return !finished_.empty(); }

    // Returns the next batch; empty if there is nothing to do. commit() or restart() must follow.
    BatchPlan plan();

    // Records that the batch was decoded.
    void commit();

    // Frees the sequence and cells of a value that has its last token.
    void retire(Value & value);

    // Lets a value continue: removes the cells of rejected guesses.
    void keep(Value & value, int32_t n_accepted_drafts);

    // Restarts all running requests, after the cache was lost or cleared. If `shrink`, half as many
    // may be in flight; the limit then grows by one each time that as many requests as it allows
    // have finished. A request that did not fit although it was alone fails.
    void restart(bool shrink);

    // Frees a kept prompt: no more requests will have it.
    void forget_prompt(const std::vector<Token> & prompt);

    // Cancels these requests, whether waiting, running or finished, and frees their sequences and
    // cells, including those of prompts kept for them. Returns the requests, as there may be
    // pointers to their values.
    std::vector<std::unique_ptr<Request>> cancel(const std::set<uint64_t> & ids);

    // Cancels every request; the cache must have been cleared.
    void cancel_all();

    std::vector<std::unique_ptr<Request>> take_finished();

    int32_t n_running() const { return static_cast<int32_t>(running_.size()); }
    int32_t n_decoding() const;  // values that have their first token and need the next
    int32_t n_in_step() const;  // values that share the next steps, including those of
                                // requests about to start
    int32_t n_cells_used() const { return holdings_.n_cells_used(); }
    uint64_t n_preempted() const { return n_preempted_; }

    // Recounts everything; throws std::logic_error if counts are inconsistent.
    void check() const;

private:
    int32_t n_guesses_max() const;
    void fill(BatchFiller & filler, bool separate);
    bool reads_next();
    void read_prompts(BatchFiller & filler);
    void add_values(BatchFiller & filler);
    void propose(const BatchFiller & filler);

    bool start_next();
    void make_decode_room();
    void preempt_youngest();
    void finish(Request & r);
    void grow_back();

    Limits limits_;
    int32_t n_most_in_flight_;  // the limit before the cache was ever full
    int32_t n_finished_since_ = 0;  // since the limit was changed
    Drafter * drafter_;
    Propose propose_;
    Holdings holdings_;
    Forecast forecast_;
    Admission admission_;
    std::deque<std::unique_ptr<Request>> waiting_;
    RequestList running_;  // oldest first
    std::vector<std::unique_ptr<Request>> finished_;
    bool reading_ = true;  // with separate batches: prompts come first
    uint64_t n_preempted_ = 0;
    bool has_preempted_ = false;  // since plan() was called
};

}  // namespace hpd
