#include "scheduling/scheduler.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "scheduling/key_trie.h"

namespace hpd {

namespace {

// Cells that a request needs at the very most, all its fields at once.
int64_t worst_case_cells(const Request & r) {
    int64_t n = static_cast<int64_t>(r.prompt.size());
    for (const Field & f : r.fields) n += static_cast<int64_t>(f.key.size()) + f.max_tokens;
    return n;
}

int32_t largest_field_cells(const Request & r) {
    int32_t n = 0;
    for (const Field & f : r.fields) {
        n = std::max(n, static_cast<int32_t>(f.key.size()) + f.max_tokens);
    }
    return n;
}

}  // namespace

Scheduler::Scheduler(const Limits & limits, Drafter * drafter, Propose propose)
    : limits_(limits), drafter_(drafter), propose_(std::move(propose)) {
    limits_.n_value_batch = std::min(limits_.n_value_batch, limits_.n_batch);
    for (SeqId s = 0; s < limits_.n_seq; ++s) free_seqs_.insert(s);
}

void Scheduler::submit(std::unique_ptr<RequestState> request) {
    RequestState & r = *request;
    const int64_t least = r.n_prompt() + int64_t{largest_field_cells(r.request)};
    if (r.n_prompt() < 2) {
        r.error = "the prompt has fewer than two tokens";
    } else if (least > limits_.n_cells) {
        r.error = "the prompt has " + std::to_string(r.n_prompt()) +
                  " tokens and its longest "
                  "field may take " +
                  std::to_string(largest_field_cells(r.request)) +
                  " more: " + std::to_string(least - limits_.n_cells) + " over the context of " +
                  std::to_string(limits_.n_cells);
        r.error_is_overflow = true;
    }
    if (r.done()) {
        finished_.push_back(std::move(request));
        return;
    }
    r.in_turns = !limits_.couples || worst_case_cells(r.request) > limits_.n_cells ||
                 static_cast<int32_t>(r.values.size()) + 2 > limits_.n_seq;
    // A value that follows the prompt itself needs logits, which a cached token no longer has: the
    // prompt's last token is then read with each field.
    const bool reads_prompt = std::any_of(r.request.fields.begin(), r.request.fields.end(),
                                          [](const Field & f) { return f.key.empty(); });
    if (reads_prompt && r.in_turns) {
        for (Field & f : r.request.fields) f.key.insert(f.key.begin(), r.request.prompt.back());
        r.request.prompt.pop_back();
    }
    const int32_t n_rows = reads_prompt && !r.in_turns ? 1 : 0;
    r.request.n_cached = std::clamp(r.request.n_cached, 0, r.n_prompt() - n_rows);
    r.request.n_instruction = std::clamp(r.request.n_instruction, 0, r.n_prompt());
    if (r.request.n_cached == r.n_prompt()) {
        waiting_.push_front(std::move(request));  // its prompt is waiting in the cache
    } else {
        waiting_.push_back(std::move(request));
    }
}

bool Scheduler::wants_request() const {
    return waiting_.empty() ||
           static_cast<int32_t>(waiting_.size()) + n_running() < limits_.n_in_flight;
}

BatchPlan Scheduler::plan() {
    plan_ = BatchPlan{};
    n_rows_ = 0;
    if (idle()) return {};
    const uint64_t n_preempted = n_preempted_;
    while (true) {
        make_decode_room();
        n_draft_cells_ = n_free_cells() - promised_cells();
        // Apart, values wait until there are enough of them for a batch, or nothing is left to
        // read. Where cells ran short they go first: only values that end give cells back.
        const bool apart = limits_.n_value_batch > 0 && n_preempted == n_preempted_;
        if (!apart) add_values(limits_.n_batch);
        if (!apart || reads_next()) read_prompts();
        if (apart) add_values(limits_.n_value_batch);
        if (!plan_.batch.empty()) break;
        if (evict_prefix()) continue;
        if (running_.empty()) throw std::logic_error("scheduler: no request can be started");
        // Half-read requests hold each other's cells: let the youngest go.
        if (running_.size() == 1) throw std::logic_error("scheduler: nothing can be decoded");
        preempt_youngest();
    }
    plan_.ops = std::move(ops_);
    ops_.clear();
    return std::move(plan_);
}

// Whether prompts come before values. Once begun, reading goes on until the values fill a batch,
// and it begins only when they fill half of one: so both kinds of batches are large.
bool Scheduler::reads_next() {
    const int32_t n_values = n_decoding();
    if (2 * n_values <= limits_.n_value_batch) reading_ = true;
    if (n_values >= limits_.n_value_batch) reading_ = false;
    return reading_;
}

void Scheduler::read_prompts() {
    n_batch_ = limits_.n_batch;
    for (auto & r : running_) continue_prefill(*r);
    while (room_in_batch() && admit()) continue_prefill(*running_.back());
    if (plan_.kind != BatchKind::reading) reading_ = false;  // nothing more may be read now
}

// Fills the batch with values, oldest first, up to n_batch tokens in all.
void Scheduler::add_values(int32_t n_batch) {
    n_batch_ = n_batch;
    if (propose_) propose();
    for (auto & r : running_) {
        const size_t before = plan_.batch.size();
        for (Value & v : r->values) {
            if (v.state == Value::State::decoding && room_in_batch()) add_value(v);
        }
        if (plan_.batch.size() > before) ++r->n_steps;
    }
}

// Asks for guesses for the values that the batch has room for, guesses left aside.
void Scheduler::propose() {
    const int32_t n_batch_left = n_batch_ - static_cast<int32_t>(plan_.batch.size());
    const int32_t n_max = std::min(n_batch_left, n_free_cells());
    std::vector<Value *> values;
    for (auto & r : running_) {
        for (Value & v : r->values) {
            const bool room = static_cast<int32_t>(values.size()) < n_max;
            if (v.state == Value::State::decoding && room) values.push_back(&v);
        }
    }
    if (!values.empty()) propose_(values);
}

void Scheduler::commit() {
    for (auto & r : running_) {
        if (r->prefix && r->creates_prefix && r->n_trunk >= r->prefix->n_tokens()) {
            r->prefix->ready = true;
        }
        // Without coupling the base has no cells before it is forked from the prefix just read.
        const bool base_waits = !limits_.couples && r->creates_prefix;
        if (r->n_trunk == r->n_prompt() && !base_waits) r->trunk_decoded = true;
    }
}

void Scheduler::keep(Value & v, int32_t n_accepted_drafts) {
    const auto n_rejected = static_cast<int32_t>(v.draft.size()) - n_accepted_drafts;
    v.n_cells -= n_rejected;
    if (n_rejected > 0) {
        const int32_t position =
            v.request->n_prompt() + static_cast<int32_t>(v.field().key.size()) + v.n_cells;
        ops_.push_back({CacheOp::Kind::trim, v.seq, no_seq, position});
        n_cells_used_ -= n_rejected;
    }
    v.draft.clear();
    v.state = Value::State::decoding;
}

void Scheduler::retire(Value & v, Finish finish_reason) {
    RequestState & r = *v.request;
    drop_value(v);
    v.draft.clear();
    v.state = Value::State::done;
    v.finish = finish_reason;
    mean_value_tokens_ += 0.01 * (static_cast<double>(v.tokens.size()) - mean_value_tokens_);
    if (r.done()) finish(r);
}

void Scheduler::restart(bool shrink) {
    if (shrink && running_.size() == 1) {
        RequestState & r = *running_.front();
        r.error =
            "the context is full although nothing else is in flight: a larger n_ctx is needed";
        r.error_is_overflow = true;
        finish(r);
    } else if (shrink) {
        limits_.n_in_flight = std::max(1, n_running() / 2);
    }
    while (!running_.empty()) preempt_youngest();
    while (evict_prefix()) {
    }
    ops_.clear();  // the cache is empty by now
}

std::vector<std::unique_ptr<RequestState>> Scheduler::cancel(const std::set<uint64_t> & ids) {
    std::vector<std::unique_ptr<RequestState>> cancelled;
    const auto move_from = [&](auto & requests) {
        const auto stays = [&](const std::unique_ptr<RequestState> & r) {
            return ids.count(r->request.id) == 0;
        };
        const auto begin = std::stable_partition(requests.begin(), requests.end(), stays);
        std::move(begin, requests.end(), std::back_inserter(cancelled));
        requests.erase(begin, requests.end());
    };
    move_from(finished_);
    move_from(waiting_);
    move_from(running_);
    for (auto & r : cancelled) {
        release(*r);
        const Request & request = r->request;
        const bool is_kept = r->done() && request.keep_prompt;
        // All of its prompt is cached: that was kept for it.
        const bool was_kept = static_cast<size_t>(request.n_cached) == request.prompt.size();
        if (is_kept || was_kept) forget_prompt(request.prompt);
    }
    return cancelled;
}

void Scheduler::cancel_all() {
    restart(false);
    waiting_.clear();
    finished_.clear();
}

std::vector<std::unique_ptr<RequestState>> Scheduler::take_finished() {
    return std::exchange(finished_, {});
}

// --- admission -----------------------------------------------------------------------------

bool Scheduler::admit() {
    if (waiting_.empty() || n_running() >= limits_.n_in_flight) return false;
    RequestState & r = *waiting_.front();
    const int32_t n_new = r.n_prompt() - r.request.n_cached;
    if (!running_.empty() && n_busy_cells() + n_new > limits_.n_busy_cells) return false;
    if (!fits(r)) return false;
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    start(*running_.back());
    return true;
}

bool Scheduler::fits(RequestState & r) {
    const auto n_fields = static_cast<int32_t>(r.values.size());
    const int32_t n_seqs = r.in_turns ? 2 : n_fields + (r.request.keep_prompt ? 1 : 0);
    if (r.request.n_cached > 0) {
        r.prefix = find_prefix(r.request);
        if (!r.prefix) r.prefix = add_prefix(r.request, n_seqs);
        if (!r.prefix) return false;
        // Another request is reading the instruction just now: its cells come with the next batch.
        if (!r.prefix->ready && r.prefix->n_users > 0) {
            r.prefix = nullptr;
            return false;
        }
    }
    // From here on the prefix must not be evicted to make room for its own user.
    if (r.prefix) ++r.prefix->n_users;
    const auto give_up = [&r] {
        if (r.prefix) --r.prefix->n_users;
        r.prefix = nullptr;
        return false;
    };

    // While others run, their cells come free soon: an instruction still in use is worth the wait.
    const uint64_t stale_after = running_.empty() ? 0 : stale_prefix_age();
    while (static_cast<int32_t>(free_seqs_.size()) < n_seqs) {
        if (!evict_prefix(stale_after)) return give_up();
    }

    int64_t n_cells = r.n_prompt() - (r.prefix ? r.prefix->n_ready() : 0);
    if (r.in_turns) {
        n_cells += largest_field_cells(r.request);
    } else {
        for (const Value & v : r.values) {
            n_cells += static_cast<int64_t>(v.field().key.size()) + expected_value_tokens(v);
        }
    }
    if (running_.empty()) n_cells = std::min<int64_t>(n_cells, limits_.n_cells);
    while (n_free_cells() - promised_cells() < n_cells) {
        if (!evict_prefix(stale_after)) return running_.empty() || give_up();
    }
    return true;
}

void Scheduler::start(RequestState & r) {
    r.admitted = std::chrono::steady_clock::now();
    r.creates_prefix = r.prefix && !r.prefix->ready;
    if (r.prefix) r.prefix->last_used = ++clock_;
    // Attention is computed over idle cells, too: what nobody has asked for lately is let go.
    while (evict_prefix(stale_prefix_age())) {
    }
    r.n_trunk = r.prefix ? r.prefix->n_ready() : 0;
    if (r.in_turns || r.request.keep_prompt) {
        r.base = take_seq();
        ++r.n_trunk_owners;
    }
    if (limits_.couples) start_values(r, r.in_turns ? free_seqs_.size() : r.values.size());
    if (r.n_trunk > 0) {
        const SeqId from = r.prefix->ready ? r.prefix->seq : r.prefix->parent->seq;
        for (SeqId s : trunk_seqs(r)) ops_.push_back({CacheOp::Kind::fork, s, from, r.n_trunk});
        if (!r.prefix->ready) {
            ops_.push_back({CacheOp::Kind::fork, r.prefix->seq, from, r.n_trunk});
        }
    }
}

// Gives sequences to pending fields, as many as sequence ids and cells allow.
void Scheduler::start_values(RequestState & r, size_t n_max) {
    std::vector<Value *> group;
    int64_t n_promised = 0;  // in turns, every started field must be able to run to its end
    for (Value & v : r.values) {
        if (v.state == Value::State::done) continue;
        if (r.in_turns)
            n_promised += static_cast<int64_t>(v.field().key.size()) + v.field().max_tokens;
        if (v.state != Value::State::pending) continue;
        const bool cells_ok = !r.in_turns || r.n_prompt() + n_promised <= limits_.n_cells;
        if (group.size() >= n_max || free_seqs_.empty() || !cells_ok) break;
        v.seq = take_seq();
        v.state = Value::State::prefill;
        ++r.n_trunk_owners;
        group.push_back(&v);
    }
    if (group.empty()) return;
    if (r.trunk_decoded) {
        for (Value * v : group) {
            ops_.push_back({CacheOp::Kind::fork, v->seq, r.base, r.n_prompt()});
        }
    }
    for (KeyNode & node : build_key_trie(group, limits_.couples)) {
        node.n_live = static_cast<int32_t>(node.values.size());
        for (Value * v : node.values) v->path.push_back(r.nodes.size());
        r.nodes.push_back(std::move(node));
    }
}

// --- filling the batch -----------------------------------------------------------------------

void Scheduler::continue_prefill(RequestState & r) {
    if (!limits_.couples && r.creates_prefix && r.prefix->ready) {
        ops_.push_back({CacheOp::Kind::fork, r.base, r.prefix->seq, r.n_trunk});
        r.creates_prefix = false;
    }
    if (!r.trunk_decoded && !add_trunk(r)) return;
    if (r.prefix && r.prefix->ready && r.prefix->n_tokens() == r.n_prompt()) {
        r.trunk_decoded = true;  // the prefix is the whole prompt
    }
    if (r.trunk_decoded && r.in_turns) start_values(r, free_seqs_.size());
    // Without coupling the keys go in one batch later: a fork needs the cells to be there.
    if (limits_.couples || r.trunk_decoded) add_keys(r);
}

// Puts the prompt's tokens in the batch; true if all of them are in it or in the cache.
bool Scheduler::add_trunk(RequestState & r) {
    const bool one_by_one = !limits_.couples;
    if (r.n_trunk == r.n_prompt()) return true;
    std::vector<SeqId> seqs = trunk_seqs(r);
    const bool creates = r.creates_prefix && !r.prefix->ready;
    if (one_by_one && creates) seqs = {r.prefix->seq};
    while (r.n_trunk < r.n_prompt() && room_in_batch()) {
        const bool in_prefix = r.prefix && r.n_trunk < r.prefix->n_tokens();
        if (one_by_one && creates && !in_prefix) return false;
        std::vector<SeqId> owners = seqs;
        if (!one_by_one && creates && in_prefix) owners.push_back(r.prefix->seq);
        const bool last = r.n_trunk + 1 == r.n_prompt();
        std::vector<Value *> ends;  // an empty key: the value follows the prompt itself
        for (Value & v : r.values) {
            const bool reads = v.state == Value::State::prefill && v.field().key.empty();
            if (last && reads) ends.push_back(&v);
        }
        plan_.kind = BatchKind::reading;
        const int32_t row = add_token(r.request.prompt[static_cast<size_t>(r.n_trunk)], r.n_trunk,
                                      std::move(owners), !ends.empty());
        ++r.n_trunk;
        ++r.n_prompt_computed;
        for (Value * v : ends) {
            plan_.rows.push_back({row, v, 0});
            add_draft(*v, r.n_trunk);
        }
    }
    return r.n_trunk == r.n_prompt();
}

void Scheduler::add_keys(RequestState & r) {
    while (r.next_node < r.nodes.size() && room_in_batch()) {
        const KeyNode & node = r.nodes[r.next_node];
        std::vector<SeqId> seqs;
        for (const Value * v : node.values) seqs.push_back(v->seq);
        const int32_t position = r.n_prompt() + node.depth;
        plan_.kind = BatchKind::reading;
        const int32_t row = add_token(node.token, position, std::move(seqs), !node.ends.empty());
        ++r.next_node;
        ++r.n_keys_computed;
        for (Value * v : node.ends) {
            plan_.rows.push_back({row, v, 0});
            add_draft(*v, position + 1);
        }
    }
}

void Scheduler::add_value(Value & v) {
    const int32_t position =
        v.request->n_prompt() + static_cast<int32_t>(v.field().key.size()) + v.n_cells;
    const Token token = v.tokens[static_cast<size_t>(v.n_cells)];
    const int32_t row = add_token(token, position, {v.seq}, true);
    ++v.n_cells;
    plan_.rows.push_back({row, &v, 0});
    add_draft(v, position + 1);
}

void Scheduler::add_draft(Value & v, int32_t position) {
    v.draft.clear();
    v.draft_sources.clear();
    const std::vector<Token> proposed = std::exchange(v.proposed, {});
    if (!drafter_ && proposed.empty()) return;
    // Guesses take only what no other token needs.
    const int32_t n_left = v.field().max_tokens - static_cast<int32_t>(v.tokens.size()) - 1;
    const int32_t n_batch_left = n_batch_ - static_cast<int32_t>(plan_.batch.size());
    const int32_t n_max = std::min({n_left, n_batch_left, n_draft_cells_, n_free_cells()});
    if (n_max <= 0) return;
    if (proposed.empty()) {
        drafter_->draft(v, n_max);
    } else {
        const auto n = std::min(proposed.size(), static_cast<size_t>(n_max));
        v.draft.assign(proposed.begin(), proposed.begin() + static_cast<std::ptrdiff_t>(n));
    }
    int32_t n_drafted = 0;
    for (Token token : v.draft) {
        const int32_t row = add_token(token, position++, {v.seq}, true);
        ++v.n_cells;
        plan_.rows.push_back({row, &v, ++n_drafted});
    }
    n_draft_cells_ -= n_drafted;
    v.request->n_drafted += static_cast<uint64_t>(n_drafted);
}

int32_t Scheduler::add_token(Token token, int32_t position, std::vector<SeqId> seqs, bool output) {
    plan_.batch.push_back({token, position, std::move(seqs), output});
    ++n_cells_used_;
    return output ? n_rows_++ : -1;
}

bool Scheduler::room_in_batch() const {
    return static_cast<int32_t>(plan_.batch.size()) < n_batch_ && n_free_cells() > 0;
}

std::vector<SeqId> Scheduler::trunk_seqs(const RequestState & r) const {
    std::vector<SeqId> seqs;
    if (r.base != no_seq) seqs.push_back(r.base);
    for (const Value & v : r.values) {
        if (v.seq != no_seq) seqs.push_back(v.seq);
    }
    return seqs;
}

// --- running short ---------------------------------------------------------------------------

// Every value that decodes must get a cell for its next token.
void Scheduler::make_decode_room() {
    while (n_free_cells() < n_decoding()) {
        if (evict_prefix()) continue;
        if (running_.size() <= 1) throw std::logic_error("scheduler: the oldest request is stuck");
        preempt_youngest();
    }
}

void Scheduler::preempt_youngest() {
    RequestState & r = *running_.back();
    ++n_preempted_;
    release(r);
    for (Value & v : r.values) v.forget();
    r.n_steps = 0;
    r.n_prompt_computed = 0;
    r.n_keys_computed = 0;
    r.n_drafted = 0;
    r.n_accepted = 0;
    waiting_.push_front(std::move(running_.back()));
    running_.pop_back();
}

// Takes back every sequence and cell that a request holds.
void Scheduler::release(RequestState & r) {
    for (Value & v : r.values) {
        if (v.seq != no_seq) drop_value(v);
    }
    if (r.base != no_seq) {
        free_seq(r.base);
        r.base = no_seq;
        free_trunk_owner(r);
    }
    if (r.prefix) {
        Prefix * p = std::exchange(r.prefix, nullptr);
        --p->n_users;
        const bool half_read = r.creates_prefix && !p->ready;
        const bool used_up = p->once && r.done() && !r.request.keep_prompt && p->n_users == 0;
        if (half_read || used_up) drop_prefix(*p);
    }
    r.creates_prefix = false;
    r.n_trunk = 0;
    r.trunk_decoded = false;
    r.nodes.clear();
    r.next_node = 0;
}

void Scheduler::drop_value(Value & v) {
    RequestState & r = *v.request;
    free_seq(v.seq);
    v.seq = no_seq;
    n_cells_used_ -= v.n_cells;
    v.n_cells = 0;
    for (size_t i : v.path) {
        if (--r.nodes[i].n_live == 0 && i < r.next_node) --n_cells_used_;
    }
    v.path.clear();
    free_trunk_owner(r);
}

void Scheduler::free_trunk_owner(RequestState & r) {
    if (--r.n_trunk_owners > 0) return;
    // The last sequence on the prompt's cells: all go but the shared ones, which the prefix holds.
    // (A half-read prefix counts what it holds in drop_prefix.)
    const int32_t n_prefix = r.prefix ? r.prefix->n_tokens() : 0;
    n_cells_used_ -= std::max(0, r.n_trunk - n_prefix);
    if (r.creates_prefix && !r.prefix->ready) {
        n_cells_used_ -= std::min(r.n_trunk, n_prefix) - r.prefix->n_inherited();
    }
}

void Scheduler::finish(RequestState & r) {
    r.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - r.admitted).count();
    const auto it = std::find_if(running_.begin(), running_.end(),
                                 [&](const auto & p) { return p.get() == &r; });
    if (r.request.keep_prompt && r.error.empty()) keep_prompt(r);
    release(r);
    finished_.push_back(std::move(*it));
    running_.erase(it);
}

// --- prefixes ----------------------------------------------------------------------------------

// The longest prefix that the request's prompt begins with, as far as it may be shared.
Prefix * Scheduler::find_prefix(const Request & request) {
    Prefix * longest = nullptr;
    for (Prefix & p : prefixes_) {
        const bool longer = !longest || p.n_tokens() > longest->n_tokens();
        if (longer && p.n_tokens() <= request.n_cached &&
            std::equal(p.tokens.begin(), p.tokens.end(), request.prompt.begin()) &&
            (p.once || p.n_tokens() == request.n_cached)) {
            longest = &p;
        }
    }
    return longest;
}

// A prefix still to be read, on the cells of what it has in common with the others; none if that
// is being read just now, or there is no sequence for it. n_seqs: what the request itself takes.
Prefix * Scheduler::add_prefix(const Request & request, int32_t n_seqs) {
    if (free_seqs_.empty() && !evict_prefix()) return nullptr;
    // One for the prefix, one for what it has in common with others, the rest for the request.
    const bool spare = static_cast<int32_t>(free_seqs_.size()) >= n_seqs + 2;
    bool wait = false;
    Prefix * parent = limits_.couples && spare ? common_prefix(request, wait) : nullptr;
    if (wait) return nullptr;
    Prefix p;
    p.tokens.assign(request.prompt.begin(), request.prompt.begin() + request.n_cached);
    p.seq = take_seq();
    p.once = p.tokens.size() == request.prompt.size();
    p.parent = parent;
    if (parent) ++parent->n_users;
    prefixes_.push_back(std::move(p));
    return &prefixes_.back();
}

// What the instruction begins with and another one, too (the rules, say, that stand before the
// attributes), as a prefix of its own. `wait`: there will be a longer one after the next batch.
Prefix * Scheduler::common_prefix(const Request & request, bool & wait) {
    Prefix * nearest = nullptr;
    int32_t n_common = limits_.n_common_least - 1;
    int32_t n_coming = limits_.n_common_least - 1;
    for (Prefix & p : prefixes_) {
        const int32_t n_max = std::min(p.n_tokens(), request.n_cached - 1);
        const auto end =
            std::mismatch(p.tokens.begin(), p.tokens.begin() + n_max, request.prompt.begin());
        const auto n = static_cast<int32_t>(end.first - p.tokens.begin());
        if (!p.ready && p.n_users > 0) {
            n_coming = std::max(n_coming, n);
        } else if (p.ready && n > n_common && n > p.n_inherited()) {
            nearest = &p;
            n_common = n;
        }
    }
    wait = n_coming > n_common;
    if (wait || !nearest || nearest->n_tokens() == n_common) return wait ? nullptr : nearest;
    return split_prefix(*nearest, n_common);
}

// Makes the first tokens of a prefix a prefix of their own, which the rest then stands on.
Prefix * Scheduler::split_prefix(Prefix & prefix, int32_t n_tokens) {
    Prefix p;
    p.tokens.assign(prefix.tokens.begin(), prefix.tokens.begin() + n_tokens);
    p.seq = take_seq();
    p.ready = true;
    p.n_users = 1;
    p.last_used = clock_;
    p.parent = prefix.parent;
    ops_.push_back({CacheOp::Kind::fork, p.seq, prefix.seq, n_tokens});
    prefixes_.push_back(std::move(p));
    prefix.parent = &prefixes_.back();
    return prefix.parent;
}

// The base of a finished request becomes a prefix for the next one.
void Scheduler::keep_prompt(RequestState & r) {
    if (r.prefix && r.prefix->n_tokens() == r.n_prompt()) return;  // it is one already
    Prefix p;
    p.tokens = r.request.prompt;
    p.seq = std::exchange(r.base, no_seq);
    p.ready = true;
    p.once = true;
    p.last_used = ++clock_;
    p.parent = std::exchange(r.prefix, nullptr);  // and its use of it
    --r.n_trunk_owners;
    prefixes_.push_back(std::move(p));
}

void Scheduler::forget_prompt(const std::vector<Token> & prompt) {
    for (Prefix & p : prefixes_) {
        if (p.once && p.n_users == 0 && p.tokens == prompt) {
            drop_prefix(p);
            return;
        }
    }
}

uint64_t Scheduler::stale_prefix_age() const {
    return 4 * static_cast<uint64_t>(limits_.n_in_flight);
}

// Drops the least recently used prefix that nothing stands on, if that many requests have started
// since its last use; false if there is none.
bool Scheduler::evict_prefix(uint64_t stale_after) {
    Prefix * oldest = nullptr;
    for (Prefix & p : prefixes_) {
        if (p.n_users == 0 && (!oldest || p.last_used < oldest->last_used)) oldest = &p;
    }
    if (!oldest || clock_ - oldest->last_used < stale_after) return false;
    drop_prefix(*oldest);
    return true;
}

void Scheduler::drop_prefix(Prefix & p) {
    if (p.ready) n_cells_used_ -= p.n_own_cells();
    if (p.parent) --p.parent->n_users;
    free_seq(p.seq);
    prefixes_.remove_if([&](const Prefix & other) { return &other == &p; });
}

// --- budgets -----------------------------------------------------------------------------------

SeqId Scheduler::take_seq() {
    const SeqId s = *free_seqs_.begin();
    free_seqs_.erase(free_seqs_.begin());
    return s;
}

void Scheduler::free_seq(SeqId s) {
    ops_.push_back({CacheOp::Kind::drop, s});
    free_seqs_.insert(s);
}

// Cells in use, without those of instructions.
int32_t Scheduler::n_busy_cells() const {
    int32_t n = n_cells_used_;
    for (const Prefix & p : prefixes_) {
        if (p.ready) n -= p.n_own_cells();
    }
    return n;
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
    for (const auto & r : running_) {
        n += static_cast<size_t>(
            std::count_if(r->values.begin(), r->values.end(),
                          [](const Value & v) { return v.state != Value::State::done; }));
    }
    int32_t n_requests = n_running();
    for (const auto & r : waiting_) {
        if (++n_requests > limits_.n_in_flight) break;
        n += r->request.fields.size();
    }
    return static_cast<int32_t>(n);
}

int32_t Scheduler::expected_value_tokens(const Value & v) const {
    const auto expected = static_cast<int32_t>(mean_value_tokens_ * 1.5) + 1;
    const auto n_so_far = static_cast<int32_t>(v.tokens.size());
    return std::max(1, std::min(expected, v.field().max_tokens) - n_so_far);
}

// Cells that running requests will probably still ask for. A guess: when it is too low, the
// youngest request is preempted, which costs time and nothing else.
int32_t Scheduler::promised_cells() const {
    int32_t n = 0;
    for (const auto & r : running_) {
        n += r->n_prompt() - r->n_trunk;
        n += static_cast<int32_t>(r->nodes.size() - r->next_node);
        for (const Value & v : r->values) {
            if (r->in_turns && v.state != Value::State::done) {
                n += v.field().max_tokens - v.n_cells;
                if (v.state == Value::State::pending) {
                    n += static_cast<int32_t>(v.field().key.size());
                    break;  // one more at a time is all that such a request must be able to start
                }
            } else if (v.state == Value::State::prefill || v.state == Value::State::decoding) {
                n += expected_value_tokens(v);
            }
        }
    }
    return n;
}

void Scheduler::check() const {
    const auto fail = [](const std::string & what) {
        throw std::logic_error("scheduler: " + what);
    };
    std::set<SeqId> used;
    const auto use = [&](SeqId s, const char * who) {
        if (s < 0 || s >= limits_.n_seq) fail(std::string(who) + " has no valid sequence id");
        if (!used.insert(s).second) fail(std::string(who) + " shares its sequence id");
        if (free_seqs_.count(s)) fail(std::string(who) + " uses a free sequence id");
    };
    int32_t n_cells = 0;
    for (const Prefix & p : prefixes_) {
        use(p.seq, "a prefix");
        if (p.ready) n_cells += p.n_own_cells();
        if (p.n_users < 0) fail("a prefix has negative users");
    }
    for (const auto & r : running_) {
        int32_t n_owners = 0;
        if (r->base != no_seq) use(r->base, "a base"), ++n_owners;
        std::vector<int32_t> n_live(r->nodes.size(), 0);
        for (const Value & v : r->values) {
            if (v.seq != no_seq) use(v.seq, "a value"), ++n_owners;
            const bool holds =
                v.state == Value::State::prefill || v.state == Value::State::decoding;
            if (holds != (v.seq != no_seq)) fail("a value's state and sequence disagree");
            if (v.state == Value::State::decoding &&
                v.n_cells + 1 != static_cast<int32_t>(v.tokens.size())) {
                fail("a decoding value must have exactly one token to put in");
            }
            n_cells += v.n_cells;
            for (size_t i : v.path) ++n_live[i];
        }
        if (n_owners != r->n_trunk_owners) fail("a prompt's owners are miscounted");
        const int32_t n_ready = r->prefix ? r->prefix->n_ready() : 0;
        if (n_owners > 0) n_cells += std::max(0, r->n_trunk - n_ready);
        for (size_t i = 0; i < r->nodes.size(); ++i) {
            if (n_live[i] != r->nodes[i].n_live) fail("a key's owners are miscounted");
            if (i < r->next_node && n_live[i] > 0) ++n_cells;
        }
    }
    if (n_cells != n_cells_used_) {
        fail("counted " + std::to_string(n_cells) + " cells, the books say " +
             std::to_string(n_cells_used_));
    }
    if (n_cells_used_ > limits_.n_cells) fail("more cells used than there are");
    if (used.size() + free_seqs_.size() != static_cast<size_t>(limits_.n_seq)) {
        fail("a sequence id was lost");
    }
}

}  // namespace hpd
