#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "scheduling/cache_ops.h"
#include "scheduling/sequence_pool.h"
#include "scheduling/tokens.h"

namespace hpd {

// A prefix of prompts in the KV cache: an instruction that many requests share, a common prefix of
// several instructions, or a whole prompt that will be used again.
struct Prefix {
    std::vector<Token> tokens;
    SeqId seq = no_seq;
    Prefix * parent = nullptr;  // the shorter prefix whose cells it begins with
    bool ready = false;         // all of it has been decoded
    bool is_whole_prompt = false;
    int32_t n_users = 0;        // requests, values or prefixes that use its cells
    uint64_t last_used = 0;     // by the clock of touch()

    int32_t n_tokens() const { return static_cast<int32_t>(tokens.size()); }
    int32_t n_inherited() const { return parent ? parent->n_tokens() : 0; }
    int32_t n_own_cells() const { return n_tokens() - n_inherited(); }
    int32_t n_ready() const { return ready ? n_tokens() : n_inherited(); }  // cells to fork from
};

// A tree of prefixes, each with its own sequence, sharing the cells of its parent. Prefixes in use
// are never dropped. Pure: the caller decodes the tokens.
class PrefixCache {
public:
    // Both must outlive this.
    PrefixCache(SequencePool & pool, CacheOps & ops) : pool_(pool), ops_(ops) {}

    // Returns the longest prefix that the prompt begins with: one of n_tokens, or a whole prompt of
    // at most n_tokens. nullptr if there is none.
    Prefix * find(const std::vector<Token> & prompt, int32_t n_tokens);

    // The possible parent of a prefix to be added.
    struct Parent {
        Prefix * prefix = nullptr;
        bool is_coming = false;  // a prefix that is being read will be a longer parent
    };

    // Returns the prefix that has the longest beginning in common with the prompt's first n_tokens:
    // at least n_least tokens, but not all. If the prefix is longer than this beginning, it is
    // split, and the beginning gets a sequence of its own.
    Parent find_parent(const std::vector<Token> & prompt, int32_t n_tokens, int32_t n_least);

    // Adds the prompt's first n_tokens, still to be read, with a sequence from the pool.
    Prefix & add(const std::vector<Token> & prompt, int32_t n_tokens, Prefix * parent);

    // Adds a whole prompt that `seq` already holds. The prefix takes over `seq`, and the caller's
    // use of `parent`.
    Prefix & adopt(const std::vector<Token> & prompt, SeqId seq, Prefix * parent);

    void use(Prefix & prefix) { ++prefix.n_users; }
    void leave(Prefix & prefix);
    void touch(Prefix & prefix) { prefix.last_used = ++clock_; }
    void set_ready(Prefix & prefix);

    // Drops an unused prefix.
    void drop(Prefix & prefix);

    // Drops an unused whole prompt, if there is one.
    void forget(const std::vector<Token> & prompt);

    // Drops the least recently used prefix without users, if prefixes were touched at least
    // n_touched_since times after it. Returns false if there is none.
    bool evict(uint64_t n_touched_since = 0);

    // Drops all unused prefixes except `kept`, which may be null.
    void evict_others(const Prefix * kept);

    int32_t n_cells() const { return n_cells_; }
    int32_t n_ready_cells() const { return n_ready_cells_; }
    size_t n_idle() const;  // prefixes without users
    const std::list<Prefix> & all() const { return prefixes_; }

    // Recounts everything, given the caller's uses of each prefix; throws std::logic_error if
    // counts are inconsistent.
    void check(const std::unordered_map<const Prefix *, int32_t> & n_users) const;

private:
    Prefix & split(Prefix & prefix, int32_t n_tokens);

    SequencePool & pool_;
    CacheOps & ops_;
    std::list<Prefix> prefixes_;
    uint64_t clock_ = 0;
    int32_t n_cells_ = 0;  // of all prefixes, without inherited ones
    int32_t n_ready_cells_ = 0;  // of the ready ones
};

}  // namespace hpd
