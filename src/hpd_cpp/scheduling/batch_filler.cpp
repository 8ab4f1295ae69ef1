#include "scheduling/batch_filler.h"

#include <algorithm>
#include <utility>

#include "scheduling/key_trie.h"

namespace hpd {

BatchFiller::BatchFiller(const Limits & limits, Holdings & holdings, Drafter * drafter,
                         int32_t n_guesses_max)
    : limits_(limits),
      holdings_(holdings),
      drafter_(drafter),
      n_guesses_left_(n_guesses_max),
      n_batch_(limits.n_batch) {}

void BatchFiller::read(Request & r) {
    if (!limits_.shares_tokens && r.creates_prefix && r.prefix->ready) holdings_.start_base(r);
    if (!r.trunk_decoded && !read_trunk(r)) return;
    if (r.prefix && r.prefix->ready && r.prefix->n_tokens() == r.n_prompt()) {
        r.trunk_decoded = true;  // the prefix is the whole prompt
    }
    if (r.trunk_decoded && r.in_turns) holdings_.start_values(r);
    // Without coupling, the keys go in the next batch, as a fork needs cells that exist.
    if (limits_.shares_tokens || r.trunk_decoded) read_keys(r);
}

// Puts the prompt's tokens in the batch; returns true if all of them are in it or in the cache.
bool BatchFiller::read_trunk(Request & r) {
    const bool one_by_one = !limits_.shares_tokens;
    if (r.n_trunk == r.n_prompt()) return true;
    std::vector<SeqId> seqs = holdings_.trunk_seqs(r);
    const bool creates = r.creates_prefix && !r.prefix->ready;
    if (one_by_one && creates) seqs = {r.prefix->seq};
    while (r.n_trunk < r.n_prompt() && has_room()) {
        const bool in_prefix = r.prefix && r.n_trunk < r.prefix->n_tokens();
        if ((one_by_one || limits_.alone) && creates && !in_prefix) return false;
        std::vector<SeqId> owners = seqs;
        if (!one_by_one && creates && in_prefix) owners.push_back(r.prefix->seq);
        std::vector<Value *> ends;  // those with empty keys, which directly follow the prompt
        if (r.n_trunk + 1 == r.n_prompt()) {
            for (Value & v : r.values) {
                if (v.state == Value::State::prefill && v.field().key.empty()) ends.push_back(&v);
            }
        }
        ++plan_.n_read;
        const Token token = r.prompt[static_cast<size_t>(r.n_trunk)];
        const int32_t row = add_token(token, r.n_trunk, std::move(owners), !ends.empty());
        ++r.n_trunk;
        // The count must not depend on which request happens to read the shared prefix.
        if (!(limits_.alone && in_prefix)) ++r.n_prompt_computed;
        open_values(ends, row);
    }
    return r.n_trunk == r.n_prompt() && !(limits_.alone && creates);
}

void BatchFiller::read_keys(Request & r) {
    while (r.next_node < r.nodes.size() && has_room()) {
        const KeyNode & node = r.nodes[r.next_node];
        std::vector<SeqId> seqs;
        seqs.reserve(node.values.size());
        for (const Value * v : node.values) seqs.push_back(v->seq);
        ++plan_.n_read;
        const int32_t position = r.n_prompt() + node.depth;
        const int32_t row = add_token(node.token, position, std::move(seqs), !node.ends.empty());
        ++r.next_node;
        ++r.n_keys_computed;
        open_values(node.ends, row);
    }
}

// Plans to choose the first tokens of these values from a row of logits.
void BatchFiller::open_values(const std::vector<Value *> & values, int32_t row) {
    for (Value * v : values) {
        plan_.rows.push_back({row, v, 0});
        add_draft(*v);
    }
}

void BatchFiller::add(Value & v) {
    const Token token = v.tokens[static_cast<size_t>(v.n_cells)];
    const int32_t row = add_token(token, v.n_past(), {v.seq}, true);
    ++v.n_cells;
    plan_.rows.push_back({row, &v, 0});
    add_draft(v);
}

void BatchFiller::add_draft(Value & v) {
    v.draft.clear();
    v.draft_sources.clear();
    const std::vector<Token> proposed = std::exchange(v.proposed, {});
    if (!drafter_ && proposed.empty()) return;
    // Guesses take only what no other token needs.
    const int32_t n_left = v.field().max_tokens - static_cast<int32_t>(v.tokens.size()) - 1;
    const int32_t n_max =
        std::min({n_left, n_batch_left(), n_guesses_left_, holdings_.n_free_cells()});
    if (n_max <= 0) return;
    if (proposed.empty()) {
        drafter_->draft(v, n_max);
    } else {
        const auto n = std::min(proposed.size(), static_cast<size_t>(n_max));
        v.draft.assign(proposed.begin(), proposed.begin() + static_cast<std::ptrdiff_t>(n));
    }
    int32_t n_drafted = 0;
    for (const Token token : v.draft) {
        const int32_t row = add_token(token, v.n_past(), {v.seq}, true);
        ++v.n_cells;
        plan_.rows.push_back({row, &v, ++n_drafted});
    }
    n_guesses_left_ -= n_drafted;
    v.request->n_drafted += static_cast<uint64_t>(n_drafted);
}

int32_t BatchFiller::add_token(Token token, int32_t position, std::vector<SeqId> seqs,
                               bool output) {
    plan_.batch.push_back({token, position, std::move(seqs), output});
    holdings_.add_cell();
    return output ? plan_.n_rows++ : -1;
}

BatchPlan BatchFiller::finish() {
    plan_.ops = holdings_.ops().take();
    return std::move(plan_);
}

}  // namespace hpd
