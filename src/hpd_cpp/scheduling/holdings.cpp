#include "scheduling/holdings.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "scheduling/key_trie.h"

namespace hpd {

namespace {

// Returns the number of cells of the request's prompt that are not its prefix's.
int32_t n_own_trunk(const Request & r) { return r.n_trunk - (r.prefix ? r.prefix->n_ready() : 0); }

// Counts a request's own cells; throws std::logic_error if its records are inconsistent.
int32_t count_cells(const Request & r, int32_t n_owners) {
    const auto fail = [&](const std::string & what) {
        throw std::logic_error("holdings: request " + std::to_string(r.id) + what);
    };
    if (n_owners != r.n_trunk_owners) {
        fail("'s prompt is in " + std::to_string(n_owners) + " sequences, but the count is " +
             std::to_string(r.n_trunk_owners));
    }
    int32_t n_cells = n_owners > 0 ? n_own_trunk(r) : 0;
    std::vector<int32_t> n_live(r.nodes.size(), 0);
    for (const Value & v : r.values) {
        const std::string name = ", field " + std::to_string(v.index);
        const bool is_running =
            v.state == Value::State::prefill || v.state == Value::State::decoding;
        if (is_running != (v.seq != no_seq)) {
            fail(name + (is_running ? ": is running without a sequence"
                                    : ": has a sequence but is not running"));
        }
        if (v.state == Value::State::decoding &&
            v.n_cells + 1 != static_cast<int32_t>(v.tokens.size())) {
            fail(name + ": has " + std::to_string(v.tokens.size()) + " tokens and " +
                 std::to_string(v.n_cells) + " cells, but must have one token more than cells");
        }
        n_cells += v.n_cells;
        for (size_t i : v.path) ++n_live[i];
    }
    for (size_t i = 0; i < r.nodes.size(); ++i) {
        if (n_live[i] != r.nodes[i].n_live) {
            fail(": key token " + std::to_string(i) + " is in " + std::to_string(n_live[i]) +
                 " sequences, but the count is " + std::to_string(r.nodes[i].n_live));
        }
        if (i < r.next_node && n_live[i] > 0) ++n_cells;
    }
    return n_cells;
}

}  // namespace

Holdings::Holdings(const Limits & limits)
    : limits_(limits), pool_(limits.n_seq, ops_), prefixes_(pool_, ops_) {}

void Holdings::start(Request & r) {
    r.creates_prefix = r.prefix && !r.prefix->ready;
    r.n_trunk = r.prefix ? r.prefix->n_ready() : 0;
    if (r.in_turns || r.keep_prompt) {
        r.base = pool_.take();
        ++r.n_trunk_owners;
    }
    if (limits_.shares_tokens) start_values(r);
    if (r.n_trunk == 0) return;
    const SeqId from = r.prefix->ready ? r.prefix->seq : r.prefix->parent->seq;
    for (SeqId s : trunk_seqs(r)) ops_.fork(from, s, r.n_trunk);
    if (!r.prefix->ready) ops_.fork(from, r.prefix->seq, r.n_trunk);
}

void Holdings::start_values(Request & r) {
    std::vector<Value *> group;
    const size_t n_fitting = r.in_turns ? n_fitting_values(r) : r.values.size();
    for (size_t i = 0; i < n_fitting && pool_.n_free() > 0; ++i) {
        Value & v = r.values[i];
        if (v.state != Value::State::pending) continue;
        v.seq = pool_.take();
        v.state = Value::State::prefill;
        ++r.n_trunk_owners;
        group.push_back(&v);
    }
    if (group.empty()) return;
    if (r.trunk_decoded) {
        for (Value * v : group) ops_.fork(r.base, v->seq, r.n_prompt());
    }
    for (KeyNode & node : build_key_trie(group, limits_.shares_tokens)) {
        node.n_live = static_cast<int32_t>(node.values.size());
        for (Value * v : node.values) v->path.push_back(r.nodes.size());
        r.nodes.push_back(std::move(node));
    }
}

void Holdings::start_base(Request & r) {
    ops_.fork(r.prefix->seq, r.base, r.n_trunk);
    r.creates_prefix = false;
}

void Holdings::commit(Request & r) {
    const bool has_read_prefix = r.creates_prefix && r.n_trunk >= r.prefix->n_tokens();
    if (has_read_prefix && !r.prefix->ready) {
        prefixes_.set_ready(*r.prefix);
        n_own_cells_ -= r.prefix->n_own_cells();
    }
    // Without coupling the base has no cells before it is forked from the prefix just read.
    const bool base_waits = !limits_.shares_tokens && r.creates_prefix;
    if (r.n_trunk == r.n_prompt() && !base_waits) r.trunk_decoded = true;
}

void Holdings::trim(Value & v, int32_t n_rejected) {
    if (n_rejected == 0) return;
    v.n_cells -= n_rejected;
    n_own_cells_ -= n_rejected;
    ops_.trim(v.seq, v.n_past());
}

void Holdings::drop(Value & v) {
    Request & r = *v.request;
    pool_.give_back(std::exchange(v.seq, no_seq));
    n_own_cells_ -= std::exchange(v.n_cells, 0);
    for (size_t i : v.path) {
        if (--r.nodes[i].n_live == 0 && i < r.next_node) --n_own_cells_;
    }
    v.path.clear();
    free_trunk_owner(r);
}

void Holdings::reserve_all(Request & r) {
    r.reserves_all = true;
    for (size_t i = n_fitting_values(r); i < r.values.size(); ++i) {
        Value & v = r.values[i];
        if (v.state == Value::State::done || v.seq == no_seq) continue;
        drop(v);
        v.forget();
    }
}

size_t Holdings::n_fitting_values(const Request & r) const {
    int64_t n_cells = r.n_prompt();
    size_t n = 0;
    for (const Value & v : r.values) {
        if (v.state != Value::State::done) n_cells += r.n_reserved(v);
        if (n_cells > limits_.n_cells) break;
        ++n;
    }
    return n;
}

void Holdings::keep_prompt(Request & r) {
    if (r.prefix && r.prefix->n_tokens() == r.n_prompt()) return;  // a prefix already
    Prefix * parent = std::exchange(r.prefix, nullptr);
    Prefix & p = prefixes_.adopt(r.prompt, std::exchange(r.base, no_seq), parent);
    prefixes_.touch(p);
    n_own_cells_ -= p.n_own_cells();
    --r.n_trunk_owners;
}

void Holdings::release(Request & r) {
    for (Value & v : r.values) {
        if (v.seq != no_seq) drop(v);
    }
    if (r.base != no_seq) {
        pool_.give_back(std::exchange(r.base, no_seq));
        free_trunk_owner(r);
    }
    if (r.prefix) {
        Prefix & p = *std::exchange(r.prefix, nullptr);
        prefixes_.leave(p);
        const bool half_read = r.creates_prefix && !p.ready;
        const bool used_up = p.is_whole_prompt && r.done() && !r.keep_prompt && p.n_users == 0;
        if (half_read || used_up) prefixes_.drop(p);
    }
    r.creates_prefix = false;
    r.n_trunk = 0;
    r.trunk_decoded = false;
    r.nodes.clear();
    r.next_node = 0;
}

std::vector<SeqId> Holdings::trunk_seqs(const Request & r) const {
    std::vector<SeqId> seqs;
    if (r.base != no_seq) seqs.push_back(r.base);
    for (const Value & v : r.values) {
        if (v.seq != no_seq) seqs.push_back(v.seq);
    }
    return seqs;
}

// The last sequence that uses the prompt's cells frees them, except those of the prefix.
void Holdings::free_trunk_owner(Request & r) {
    if (--r.n_trunk_owners == 0) n_own_cells_ -= n_own_trunk(r);
}

bool Holdings::has_any(const Request & r) const {
    return r.prefix || !trunk_seqs(r).empty() || !r.nodes.empty();
}

void Holdings::check(const RequestList & running) const {
    std::vector<SeqId> seqs;
    for (const Prefix & p : prefixes_.all()) seqs.push_back(p.seq);
    std::unordered_map<const Prefix *, int32_t> n_users;
    int32_t n_cells = 0;
    for (const auto & r : running) {
        if (r->prefix) ++n_users[r->prefix];
        const std::vector<SeqId> owners = trunk_seqs(*r);
        seqs.insert(seqs.end(), owners.begin(), owners.end());
        n_cells += count_cells(*r, static_cast<int32_t>(owners.size()));
    }
    prefixes_.check(n_users);
    pool_.check(seqs);
    const auto fail = [](const std::string & what) { throw std::logic_error("holdings: " + what); };
    if (n_cells != n_own_cells_) {
        fail("there are " + std::to_string(n_cells) + " cells of requests, but the count is " +
             std::to_string(n_own_cells_));
    }
    if (n_free_cells() < 0) {
        fail(std::to_string(n_cells_used()) + " cells are in use, but there are only " +
             std::to_string(limits_.n_cells));
    }
}

}  // namespace hpd
