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

// Decides what goes into the next batch. Pure: it knows tokens, sequences and budgets, and nothing
// of llama.cpp; what it wants done to the cache it says in a BatchPlan.
//
// Requests are served in the order of submission. The oldest running request can always finish:
// when cells run short the youngest give theirs back and start again later.
class Scheduler {
public:
    // Given the values that a batch is to hold, before it is filled: fills in their `proposed`.
    using Propose = std::function<void(const std::vector<Value *> &)>;

    explicit Scheduler(const Limits & limits, Drafter * drafter = nullptr,
                       Propose propose = nullptr);

    void submit(std::unique_ptr<RequestState> request);

    // True while another request could soon be started: the caller pulls lazily.
    bool wants_request() const;
    bool idle() const { return waiting_.empty() && running_.empty(); }
    bool has_finished() const { return !finished_.empty(); }

    // The next batch; empty if there is nothing to do. Either commit() or restart() must follow.
    BatchPlan plan();

    // The batch was decoded.
    void commit();

    // The value has its last token: its sequence and cells are free again.
    void retire(Value & value);

    // A value that continues: cells of rejected guesses are removed.
    void keep(Value & value, int32_t n_accepted_drafts);

    // The cache was lost or cleared: everything running starts again, with half as many in flight
    // if `shrink`, and with one more each time that as many are finished as are in flight. A
    // request that was alone and still did not fit fails.
    void restart(bool shrink);

    // Nothing more will be asked of a prompt that was kept.
    void forget_prompt(const std::vector<Token> & prompt);

    // Gives up on these requests, wherever they are: their sequences and cells are free again, also
    // those of prompts that were kept for them. The requests, for whoever points at their values.
    std::vector<std::unique_ptr<RequestState>> cancel(const std::set<uint64_t> & ids);

    // Gives up on everything; the cache must have been cleared.
    void cancel_all();

    std::vector<std::unique_ptr<RequestState>> take_finished();

    int32_t n_running() const { return static_cast<int32_t>(running_.size()); }
    int32_t n_decoding() const;  // values that have their first token and want the next
    int32_t n_in_step() const;  // values that share the coming steps, those of documents about
                                // to be read, too
    int32_t n_cells_used() const { return holdings_.n_cells_used(); }
    uint64_t n_preempted() const { return n_preempted_; }

    // Recounts every budget from scratch; throws std::logic_error that says which one is wrong.
    void check() const;

private:
    int32_t n_guesses_max() const;
    void fill(BatchFiller & filler, bool apart);
    bool reads_next();
    void read_prompts(BatchFiller & filler);
    void add_values(BatchFiller & filler);
    void propose(const BatchFiller & filler);

    bool start_next();
    void make_decode_room();
    void preempt_youngest();
    void finish(RequestState & r);
    void grow_back();

    Limits limits_;
    int32_t n_most_in_flight_;  // the limit before the cache was ever full
    int32_t n_finished_since_ = 0;  // since the limit was changed
    Drafter * drafter_;
    Propose propose_;
    Holdings holdings_;
    Forecast forecast_;
    Admission admission_;
    std::deque<std::unique_ptr<RequestState>> waiting_;
    RequestList running_;  // oldest first
    std::vector<std::unique_ptr<RequestState>> finished_;
    bool reading_ = true;  // in batches apart: prompts first
    uint64_t n_preempted_ = 0;
    bool has_preempted_ = false;  // since plan() was called
};

}  // namespace hpd
