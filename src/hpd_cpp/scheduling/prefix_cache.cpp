#include "scheduling/prefix_cache.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace hpd {

Prefix * PrefixCache::find(const std::vector<Token> & prompt, int32_t n_tokens) {
    Prefix * longest = nullptr;
    for (Prefix & p : prefixes_) {
        const bool fits = p.is_whole_prompt ? p.n_tokens() <= n_tokens : p.n_tokens() == n_tokens;
        const bool is_longer = !longest || p.n_tokens() > longest->n_tokens();
        if (fits && is_longer && n_common(p.tokens, prompt, p.n_tokens()) == p.n_tokens()) {
            longest = &p;
        }
    }
    return longest;
}

PrefixCache::Parent PrefixCache::find_parent(const std::vector<Token> & prompt, int32_t n_tokens,
                                             int32_t n_least) {
    Prefix * nearest = nullptr;
    int32_t n_nearest = n_least - 1;
    int32_t n_coming = n_least - 1;
    for (Prefix & p : prefixes_) {
        const int32_t n = n_common(p.tokens, prompt, std::min(p.n_tokens(), n_tokens - 1));
        if (!p.ready && p.n_users > 0) {
            n_coming = std::max(n_coming, n);
        } else if (p.ready && n > n_nearest && n > p.n_inherited()) {
            nearest = &p;
            n_nearest = n;
        }
    }
    if (n_coming > n_nearest) return {nullptr, true};
    if (!nearest || nearest->n_tokens() == n_nearest) return {nearest, false};
    return {&split(*nearest, n_nearest), false};
}

Prefix & PrefixCache::add(const std::vector<Token> & prompt, int32_t n_tokens, Prefix * parent) {
    Prefix p;
    p.tokens.assign(prompt.begin(), prompt.begin() + n_tokens);
    p.seq = pool_.take();
    p.is_whole_prompt = p.tokens.size() == prompt.size();
    p.parent = parent;
    if (parent) use(*parent);
    n_cells_ += p.n_own_cells();
    prefixes_.push_back(std::move(p));
    return prefixes_.back();
}

Prefix & PrefixCache::adopt(const std::vector<Token> & prompt, SeqId seq, Prefix * parent) {
    Prefix p;
    p.tokens = prompt;
    p.seq = seq;
    p.is_whole_prompt = true;
    p.parent = parent;
    n_cells_ += p.n_own_cells();
    prefixes_.push_back(std::move(p));
    set_ready(prefixes_.back());
    return prefixes_.back();
}

// Splits a prefix in two, the second extending the first. Returns the first.
Prefix & PrefixCache::split(Prefix & prefix, int32_t n_tokens) {
    Prefix p;
    p.tokens.assign(prefix.tokens.begin(), prefix.tokens.begin() + n_tokens);
    p.seq = pool_.take();
    p.ready = true;
    p.n_users = 1;
    p.last_used = clock_;
    p.parent = prefix.parent;
    ops_.fork(prefix.seq, p.seq, n_tokens);
    prefixes_.push_back(std::move(p));
    prefix.parent = &prefixes_.back();
    return prefixes_.back();
}

void PrefixCache::leave(Prefix & prefix) {
    if (prefix.n_users == 0) throw std::logic_error("prefix cache: the prefix has no users");
    --prefix.n_users;
}

void PrefixCache::set_ready(Prefix & prefix) {
    if (prefix.ready) return;
    prefix.ready = true;
    n_ready_cells_ += prefix.n_own_cells();
}

void PrefixCache::drop(Prefix & prefix) {
    if (prefix.n_users > 0) throw std::logic_error("prefix cache: the prefix still has users");
    n_cells_ -= prefix.n_own_cells();
    if (prefix.ready) n_ready_cells_ -= prefix.n_own_cells();
    if (prefix.parent) leave(*prefix.parent);
    pool_.give_back(prefix.seq);
    prefixes_.remove_if([&](const Prefix & other) { return &other == &prefix; });
}

void PrefixCache::forget(const std::vector<Token> & prompt) {
    const auto is_it = [&](const Prefix & p) {
        return p.is_whole_prompt && p.n_users == 0 && p.tokens == prompt;
    };
    const auto it = std::find_if(prefixes_.begin(), prefixes_.end(), is_it);
    if (it != prefixes_.end()) drop(*it);
}

bool PrefixCache::evict(uint64_t n_touched_since) {
    Prefix * oldest = nullptr;
    for (Prefix & p : prefixes_) {
        if (p.n_users == 0 && (!oldest || p.last_used < oldest->last_used)) oldest = &p;
    }
    if (!oldest || clock_ - oldest->last_used < n_touched_since) return false;
    drop(*oldest);
    return true;
}

void PrefixCache::evict_others(const Prefix * kept) {
    const auto is_evicted = [&](const Prefix & p) { return &p != kept && p.n_users == 0; };
    while (true) {
        const auto it = std::find_if(prefixes_.begin(), prefixes_.end(), is_evicted);
        if (it == prefixes_.end()) return;
        drop(*it);
    }
}

size_t PrefixCache::n_idle() const {
    return static_cast<size_t>(std::count_if(prefixes_.begin(), prefixes_.end(),
                                             [](const Prefix & p) { return p.n_users == 0; }));
}

void PrefixCache::check(const std::unordered_map<const Prefix *, int32_t> & n_users) const {
    const auto fail = [](const std::string & what) {
        throw std::logic_error("prefix cache: " + what);
    };
    std::unordered_map<const Prefix *, int32_t> n_all_users = n_users;
    int32_t n_cells = 0;
    int32_t n_ready_cells = 0;
    for (const Prefix & p : prefixes_) {
        n_cells += p.n_own_cells();
        if (p.ready) n_ready_cells += p.n_own_cells();
        if (!p.parent) continue;
        ++n_all_users[p.parent];
        if (p.ready && !p.parent->ready) fail("a prefix is ready before its parent");
        const int32_t n_inherited = p.n_inherited();
        if (p.n_own_cells() <= 0 ||
            n_common(p.parent->tokens, p.tokens, n_inherited) < n_inherited) {
            fail("a prefix does not extend its parent");
        }
    }
    for (const Prefix & p : prefixes_) {
        if (p.n_users != n_all_users[&p]) {
            fail("sequence " + std::to_string(p.seq) + " has " + std::to_string(n_all_users[&p]) +
                 " users, but the count is " + std::to_string(p.n_users));
        }
    }
    if (n_all_users.size() != prefixes_.size()) fail("a prefix in use is missing");
    if (n_cells != n_cells_ || n_ready_cells != n_ready_cells_) {
        fail("there are " + std::to_string(n_cells) + " cells, " + std::to_string(n_ready_cells) +
             " of them read, but the counts are " + std::to_string(n_cells_) + " and " +
             std::to_string(n_ready_cells_));
    }
}

}  // namespace hpd
