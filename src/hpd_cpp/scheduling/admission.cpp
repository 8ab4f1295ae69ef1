#include "scheduling/admission.h"

#include <algorithm>
#include <utility>

namespace hpd {

bool Admission::admits(Request & r, const RequestList & running) {
    if (static_cast<int32_t>(running.size()) >= limits_.n_in_flight) return false;
    const int32_t n_new = r.n_prompt() - r.n_cached;
    const bool is_busy = holdings_.n_own_cells() + n_new > limits_.n_busy_cells;
    if (is_busy && !running.empty()) return false;
    const auto n_fields = static_cast<int32_t>(r.values.size());
    const int32_t n_seqs = r.in_turns ? 2 : n_fields + (r.keep_prompt ? 1 : 0);
    PrefixCache & prefixes = holdings_.prefixes();
    if (!take_prefix(r, n_seqs)) return false;
    if (!make_room(r, n_seqs, running)) {
        if (r.prefix) prefixes.leave(*std::exchange(r.prefix, nullptr));
        return false;
    }
    if (r.prefix) prefixes.touch(*r.prefix);
    // Attention is also computed over idle cells, so evict prefixes not used recently.
    while (prefixes.evict(stale_prefix_age())) {
    }
    return true;
}

// Finds the prefix of a request, or adds one that the request itself must read; returns false if
// the request has to wait.
bool Admission::take_prefix(Request & r, int32_t n_seqs) {
    const int32_t n_cached = r.n_cached;
    PrefixCache & prefixes = holdings_.prefixes();
    Prefix * prefix = n_cached > 0 ? prefixes.find(r.prompt, n_cached) : nullptr;
    if (limits_.alone) prefixes.evict_others(prefix);
    if (n_cached == 0) return true;
    if (!prefix) {
        if (holdings_.n_free_seqs() == 0 && !prefixes.evict()) return false;
        // One for the prefix, one for its common part with others, the rest for the request.
        const bool spare = holdings_.n_free_seqs() >= n_seqs + 2;
        PrefixCache::Parent parent;
        if (limits_.shares_tokens && spare) {
            parent = prefixes.find_parent(r.prompt, n_cached, limits_.n_common_least);
        }
        if (parent.is_coming) return false;
        prefix = &prefixes.add(r.prompt, n_cached, parent.prefix);
    } else if (!prefix->ready && prefix->n_users > 0) {
        return false;  // another request is reading it, and its cells come with a later batch
    }
    r.prefix = prefix;
    prefixes.use(*prefix);  // so that it is not evicted to make room for its own user
    return true;
}

bool Admission::make_room(const Request & r, int32_t n_seqs, const RequestList & running) {
    // Running requests will free cells soon: keep an instruction that is still in use.
    const uint64_t stale_after = running.empty() ? 0 : stale_prefix_age();
    PrefixCache & prefixes = holdings_.prefixes();
    while (holdings_.n_free_seqs() < n_seqs) {
        if (!prefixes.evict(stale_after)) return false;
    }
    int64_t n_cells = r.n_prompt() - (r.prefix ? r.prefix->n_ready() : 0);
    if (r.in_turns) {
        int64_t n_longest = 0;
        for (const Value & v : r.values) n_longest = std::max(n_longest, r.n_reserved(v));
        n_cells += n_longest;
    } else {
        for (const Value & v : r.values) {
            n_cells += static_cast<int64_t>(v.field().key.size()) + forecast_.n_value_tokens(v);
        }
    }
    if (running.empty()) n_cells = std::min<int64_t>(n_cells, limits_.n_cells);
    while (n_uncommitted_cells(running) < n_cells) {
        if (!prefixes.evict(stale_after)) return running.empty();
    }
    return true;
}

int64_t Admission::n_uncommitted_cells(const RequestList & running) const {
    int64_t n = holdings_.n_free_cells();
    for (const auto & r : running) n -= forecast_.n_cells(*r);
    return n;
}

// Counted in requests started since a prefix was last used.
uint64_t Admission::stale_prefix_age() const {
    return 4 * static_cast<uint64_t>(limits_.n_in_flight);
}

}  // namespace hpd
