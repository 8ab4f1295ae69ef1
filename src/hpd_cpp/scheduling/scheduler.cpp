#include "scheduling/scheduler.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace hpd {

namespace {

// Returns the most cells that a request can need with all its fields at once.
int64_t worst_case_cells(const Request & r) {
    int64_t n = static_cast<int64_t>(r.prompt.size());
    for (const Field & f : r.fields) n += static_cast<int64_t>(f.key.size()) + f.max_tokens;
    return n;
}

}  // namespace

Scheduler::Scheduler(const Limits & limits, Drafter * drafter, Propose propose)
    : limits_(limits),
      n_most_in_flight_(limits.n_in_flight),
      drafter_(drafter),
      propose_(std::move(propose)),
      holdings_(limits_),
      admission_(limits_, holdings_, forecast_) {
    limits_.n_value_batch = std::min(limits_.n_value_batch, limits_.n_batch);
}

// --- the life of a request ---------------------------------------------------------------------

void Scheduler::submit(std::unique_ptr<Request> request) {
    Request & r = *request;
    if (limits_.alone) {
        r.keep_prompt = false;
        r.n_cached = std::min(r.n_cached, r.n_instruction);
    }
    const int32_t n_field = r.n_longest_field();
    const int64_t n_over = int64_t{r.n_prompt()} + n_field - limits_.n_cells;
    if (r.n_prompt() < 2) {
        r.error = "the prompt has fewer than two tokens";
    } else if (n_over > 0) {
        r.error = "the prompt has " + std::to_string(r.n_prompt()) +
                  " tokens and its longest field may take " + std::to_string(n_field) +
                  " more: " + std::to_string(n_over) + " over the context of " +
                  std::to_string(limits_.n_cells);
        r.error_is_overflow = true;
    }
    if (r.done()) {
        finished_.push_back(std::move(request));
        return;
    }
    r.in_turns = !limits_.shares_tokens || worst_case_cells(r) > limits_.n_cells ||
                 static_cast<int32_t>(r.values.size()) + 2 > limits_.n_seq;
    r.reserves_all = !limits_.shares_tokens;
    // A value directly after the prompt needs the logits of the prompt's last token, which a cached
    // token no longer has. So if fields go in turns, each field reads that token again.
    const bool has_empty_key = std::any_of(r.fields.begin(), r.fields.end(),
                                           [](const Field & f) { return f.key.empty(); });
    if (has_empty_key && r.in_turns) {
        for (Field & f : r.fields) f.key.insert(f.key.begin(), r.prompt.back());
        r.prompt.pop_back();
    }
    const int32_t n_rows = has_empty_key && !r.in_turns ? 1 : 0;
    r.n_cached = std::clamp(r.n_cached, 0, r.n_prompt() - n_rows);
    r.n_instruction = std::clamp(r.n_instruction, 0, r.n_prompt());
    if (r.n_cached == r.n_prompt()) {
        waiting_.push_front(std::move(request));  // frees its cached prompt soon
    } else {
        waiting_.push_back(std::move(request));
    }
}

bool Scheduler::wants_request() const {
    return waiting_.empty() ||
           static_cast<int32_t>(waiting_.size()) + n_running() < limits_.n_in_flight;
}

void Scheduler::commit() {
    for (auto & r : running_) holdings_.commit(*r);
}

void Scheduler::keep(Value & v, int32_t n_accepted_drafts) {
    holdings_.trim(v, static_cast<int32_t>(v.draft.size()) - n_accepted_drafts);
    v.draft.clear();
    v.state = Value::State::decoding;
}

void Scheduler::retire(Value & v) {
    Request & r = *v.request;
    holdings_.drop(v);
    v.draft.clear();
    v.state = Value::State::done;
    if (!limits_.alone) forecast_.observe(v);
    if (r.done()) finish(r);
}

void Scheduler::finish(Request & r) {
    r.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - r.admitted).count();
    const auto it = std::find_if(running_.begin(), running_.end(),
                                 [&](const auto & p) { return p.get() == &r; });
    if (r.keep_prompt && r.error.empty()) holdings_.keep_prompt(r);
    holdings_.release(r);
    finished_.push_back(std::move(*it));
    running_.erase(it);
    if (r.error.empty()) grow_back();
}

// A cache that was full once because a few long documents coincided need not be full again.
void Scheduler::grow_back() {
    if (limits_.n_in_flight >= n_most_in_flight_) return;
    if (++n_finished_since_ < limits_.n_in_flight) return;
    ++limits_.n_in_flight;
    n_finished_since_ = 0;
}

std::vector<std::unique_ptr<Request>> Scheduler::take_finished() {
    return std::exchange(finished_, {});
}

void Scheduler::restart(bool shrink) {
    if (shrink && running_.size() == 1) {
        Request & r = *running_.front();
        r.error =
            "the context is full although nothing else is in flight: a larger n_ctx is needed";
        r.error_is_overflow = true;
        finish(r);
    } else if (shrink) {
        limits_.n_in_flight = std::max(1, n_running() / 2);
        n_finished_since_ = 0;
    }
    while (!running_.empty()) preempt_youngest();
    while (holdings_.prefixes().evict()) {
    }
    holdings_.ops().clear();  // the cache is already empty
}

std::vector<std::unique_ptr<Request>> Scheduler::cancel(const std::set<uint64_t> & ids) {
    std::vector<std::unique_ptr<Request>> cancelled;
    const auto move_from = [&](auto & requests) {
        const auto stays = [&](const std::unique_ptr<Request> & r) {
            return ids.count(r->id) == 0;
        };
        const auto begin = std::stable_partition(requests.begin(), requests.end(), stays);
        std::move(begin, requests.end(), std::back_inserter(cancelled));
        requests.erase(begin, requests.end());
    };
    move_from(finished_);
    move_from(waiting_);
    move_from(running_);
    for (auto & r : cancelled) {
        holdings_.release(*r);
        const bool is_kept = r->done() && r->keep_prompt;
        // Its whole prompt was kept in the cache for it.
        const bool was_kept = r->n_cached == r->n_prompt();
        if (is_kept || was_kept) forget_prompt(r->prompt);
    }
    return cancelled;
}

void Scheduler::cancel_all() {
    restart(false);
    waiting_.clear();
    finished_.clear();
}

void Scheduler::forget_prompt(const std::vector<Token> & prompt) {
    holdings_.prefixes().forget(prompt);
}

void Scheduler::check() const {
    const auto fail = [](const Request & r, const std::string & what) {
        throw std::logic_error("scheduler: request " + std::to_string(r.id) + what);
    };
    if (n_running() > limits_.n_in_flight) {
        throw std::logic_error("scheduler: " + std::to_string(n_running()) +
                               " requests are running, but the limit is " +
                               std::to_string(limits_.n_in_flight));
    }
    for (const auto & r : waiting_) {
        if (holdings_.has_any(*r)) fail(*r, " is waiting, but holds a part of the cache");
    }
    for (const auto & r : finished_) {
        if (holdings_.has_any(*r)) fail(*r, " is finished, but holds a part of the cache");
    }
    for (const auto & r : running_) {
        if (r->done()) fail(*r, " is done, but listed as running");
    }
    holdings_.check(running_);
}

// --- the next batch ----------------------------------------------------------------------------

BatchPlan Scheduler::plan() {
    if (idle()) return {};
    has_preempted_ = false;
    if (drafter_) drafter_->share_batches(std::max(1, n_in_step()));
    while (true) {
        make_decode_room();
        BatchFiller filler(limits_, holdings_, drafter_, n_guesses_max());
        // After a shortage of cells, values go first: only finished values free cells.
        const bool separate = limits_.n_value_batch > 0 && !has_preempted_;
        fill(filler, separate);
        if (filler.n_tokens() > 0) return filler.finish();
        if (holdings_.prefixes().evict()) continue;
        if (running_.empty()) throw std::logic_error("scheduler: no request can be started");
        // Half-read requests hold cells that the others need: preempt the youngest.
        if (running_.size() == 1) throw std::logic_error("scheduler: nothing can be decoded");
        preempt_youngest();
    }
}

// Returns how many guesses fit in the cells and rows that nothing else in this batch can need.
int32_t Scheduler::n_guesses_max() const {
    const int32_t n_rows = std::min(n_in_step(), limits_.n_seq);  // each in a sequence of its own
    int32_t n_cells = holdings_.n_free_cells() - n_rows;
    for (const auto & r : running_) n_cells -= r->n_unread();
    return std::min(n_cells, limits_.n_rows - n_rows);
}

// If `separate`, values wait until they fill a batch or nothing is left to read.
void Scheduler::fill(BatchFiller & filler, bool separate) {
    if (!separate) add_values(filler);
    if (!separate || reads_next()) read_prompts(filler);
    if (separate) {
        filler.set_size(limits_.n_value_batch);
        add_values(filler);
    }
}

// Whether the next batch reads prompts. Reading begins when the values fill at most half of a batch
// and continues until they fill one, so that both kinds of batches are large.
bool Scheduler::reads_next() {
    const int32_t n_values = n_decoding();
    if (2 * n_values <= limits_.n_value_batch) reading_ = true;
    if (n_values >= limits_.n_value_batch) reading_ = false;
    return reading_;
}

void Scheduler::read_prompts(BatchFiller & filler) {
    for (auto & r : running_) filler.read(*r);
    while (filler.has_room() && start_next()) filler.read(*running_.back());
    if (!filler.reads()) reading_ = false;  // nothing more can be read now
}

// Adds values, those of the oldest requests first.
void Scheduler::add_values(BatchFiller & filler) {
    if (propose_) propose(filler);
    for (auto & r : running_) {
        const int32_t n_before = filler.n_tokens();
        for (Value & v : r->values) {
            if (v.state == Value::State::decoding && filler.has_room()) filler.add(v);
        }
        if (filler.n_tokens() > n_before) ++r->n_steps;
    }
}

// Asks for guesses for as many values as fit in the batch without guesses.
void Scheduler::propose(const BatchFiller & filler) {
    const int32_t n_max = std::min(filler.n_batch_left(), holdings_.n_free_cells());
    std::vector<Value *> values;
    for (auto & r : running_) {
        for (Value & v : r->values) {
            const bool has_room = static_cast<int32_t>(values.size()) < n_max;
            if (v.state == Value::State::decoding && has_room) values.push_back(&v);
        }
    }
    if (!values.empty()) propose_(values);
}

int32_t Scheduler::n_decoding() const {
    int32_t n = 0;
    for (const auto & r : running_) {
        for (const Value & v : r->values) n += v.state == Value::State::decoding;
    }
    return n;
}

int32_t Scheduler::n_in_step() const {
    size_t n = 0;
    for (const auto & r : running_) n += r->values.size() - r->n_done();
    int32_t n_requests = n_running();
    for (const auto & r : waiting_) {
        if (++n_requests > limits_.n_in_flight) break;
        n += r->fields.size();
    }
    return static_cast<int32_t>(n);
}

// --- admission ---------------------------------------------------------------------------------

// Starts the request that has waited longest, if there is room for it.
bool Scheduler::start_next() {
    // A preempted request is not restarted in the same batch: this could go on forever.
    if (has_preempted_ || waiting_.empty()) return false;
    if (!admission_.admits(*waiting_.front(), running_)) return false;
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    running_.back()->admitted = std::chrono::steady_clock::now();
    holdings_.start(*running_.back());
    return true;
}

// --- shortage of cells -------------------------------------------------------------------------

// Frees cells until each value that is being decoded can have one for its next token.
void Scheduler::make_decode_room() {
    while (holdings_.n_free_cells() < n_decoding()) {
        if (holdings_.prefixes().evict()) continue;
        Request & oldest = *running_.front();
        if (running_.size() > 1) {
            preempt_youngest();
        } else if (oldest.in_turns && !oldest.reserves_all) {
            holdings_.reserve_all(oldest);
        } else {
            throw std::logic_error("scheduler: the oldest request is stuck");
        }
    }
}

void Scheduler::preempt_youngest() {
    Request & r = *running_.back();
    ++n_preempted_;
    has_preempted_ = true;
    holdings_.release(r);
    r.forget();
    waiting_.push_front(std::move(running_.back()));
    running_.pop_back();
}

}  // namespace hpd
