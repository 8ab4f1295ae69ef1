#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <set>
#include <vector>

#include "drafting/batch_cost.h"
#include "drafting/drafter.h"
#include "scheduling/sequence.h"

namespace hpd {

struct Limits {
    int32_t n_seq = 256;       // sequence ids
    int32_t n_cells = 0;       // KV cells
    int32_t n_batch = 512;     // tokens in a batch
    int32_t n_value_batch = 0;  // tokens in a batch of values alone; 0: all in one batch
    int32_t n_in_flight = 24;   // requests
    // No request is started beside others if more cells than this, without those of instructions,
    // were in use then.
    int32_t n_busy_cells = std::numeric_limits<int32_t>::max();
    // A beginning that two instructions have in common is kept once if it is this long: it takes a
    // sequence id.
    int32_t n_common_least = 16;
    // Whether one token may belong to several sequences. Recurrent and hybrid models cannot do
    // that: their prompt is read by one sequence and forked at its end.
    bool couples = true;
};

// What happens to the cache before the batch is decoded, in order.
struct CacheOp {
    enum class Kind { fork, drop, trim };
    Kind kind;
    SeqId seq;  // the sequence made, dropped or trimmed
    SeqId from = no_seq;  // fork: the sequence copied
    int32_t position = 0;  // fork: cells before it; trim: cells from it on are removed
};

struct BatchToken {
    Token token;
    int32_t position;
    std::vector<SeqId> seqs;
    bool output;  // logits are wanted after this token
};

// Logits to be read: the token after `n_drafted` guesses of the value's draft. Several values may
// read one row (their keys may be equal).
struct OutputRow {
    int32_t row;  // counts the batch's outputs
    Value * value;
    int32_t n_drafted;
};

struct BatchPlan {
    std::vector<CacheOp> ops;
    std::vector<BatchToken> batch;
    std::vector<OutputRow> rows;  // by value, then by n_drafted
    BatchKind kind = BatchKind::values;
};

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

    // The next batch; empty if there is nothing to do. Either commit() or restart() must follow.
    BatchPlan plan();

    // The batch was decoded.
    void commit();

    // The value has its last token: its sequence and cells are free again.
    void retire(Value & value, Finish finish);

    // A value that goes on: cells of rejected guesses are removed.
    void keep(Value & value, int32_t n_accepted_drafts);

    // The cache was lost or cleared: everything running starts again, with fewer in flight if
    // `shrink`. A request that was alone and still did not fit fails.
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
    int32_t n_busy_cells() const;
    int32_t n_decoding() const;  // values that have their first token and want the next
    int32_t n_in_step() const;  // values that share the coming steps, those of documents about
                                // to be read, too
    int32_t n_cells_used() const { return n_cells_used_; }
    uint64_t n_preempted() const { return n_preempted_; }

    // Recounts every budget from scratch; throws std::logic_error where the books are wrong.
    void check() const;

private:
    using RequestList = std::list<std::unique_ptr<RequestState>>;

    bool reads_next();
    void read_prompts();
    void add_values(int32_t n_batch);
    void propose();

    bool admit();
    bool fits(RequestState & r);
    void start(RequestState & r);
    void start_values(RequestState & r, size_t n_max);
    void continue_prefill(RequestState & r);
    bool add_trunk(RequestState & r);
    void add_keys(RequestState & r);
    void add_value(Value & v);
    void add_draft(Value & v, int32_t position);
    int32_t add_token(Token token, int32_t position, std::vector<SeqId> seqs, bool output);
    bool room_in_batch() const;
    std::vector<SeqId> trunk_seqs(const RequestState & r) const;

    void make_decode_room();
    void preempt_youngest();
    void release(RequestState & r);
    void drop_value(Value & v);
    void free_trunk_owner(RequestState & r);
    void finish(RequestState & r);

    Prefix * find_prefix(const Request & request);
    Prefix * add_prefix(const Request & request, int32_t n_seqs);
    Prefix * common_prefix(const Request & request, bool & wait);
    Prefix * split_prefix(Prefix & prefix, int32_t n_tokens);
    void keep_prompt(RequestState & r);
    bool evict_prefix(uint64_t stale_after = 0);
    uint64_t stale_prefix_age() const;  // in requests started
    void drop_prefix(Prefix & prefix);

    SeqId take_seq();
    void free_seq(SeqId seq);
    int32_t n_free_cells() const { return limits_.n_cells - n_cells_used_; }
    int32_t expected_value_tokens(const Value & v) const;
    int32_t promised_cells() const;

    Limits limits_;
    Drafter * drafter_;
    Propose propose_;
    std::deque<std::unique_ptr<RequestState>> waiting_;
    RequestList running_;  // oldest first
    std::vector<std::unique_ptr<RequestState>> finished_;
    std::list<Prefix> prefixes_;
    std::set<SeqId> free_seqs_;  // ordered, so that runs are repeatable
    int32_t n_cells_used_ = 0;
    uint64_t clock_ = 0;
    uint64_t n_preempted_ = 0;
    double mean_value_tokens_ = 8.0;

    std::vector<CacheOp> ops_;  // collected since the last plan
    BatchPlan plan_;
    bool reading_ = true;  // in batches apart: prompts first
    int32_t n_batch_ = 0;  // how many tokens the batch may grow to
    int32_t n_rows_ = 0;
    int32_t n_draft_cells_ = 0;
};

}  // namespace hpd
