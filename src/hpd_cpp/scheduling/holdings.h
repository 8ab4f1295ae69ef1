#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "scheduling/cache_ops.h"
#include "scheduling/limits.h"
#include "scheduling/prefix_cache.h"
#include "scheduling/request.h"
#include "scheduling/sequence_pool.h"

namespace hpd {

using RequestList = std::list<std::unique_ptr<Request>>;

// What running requests hold in the cache: their own sequence ids and cells, and prefixes.
class Holdings {
public:
    explicit Holdings(const Limits & limits);
    Holdings(const Holdings &) = delete;

    // Gives a request its first sequences. Its prefix must be set.
    void start(Request & r);

    // Gives sequences to as many pending fields as sequence ids and cells allow.
    void start_values(Request & r);

    // If a token cannot belong to several sequences, forks the base from the prefix that the
    // request has read.
    void start_base(Request & r);

    // Counts a cell for a token of the batch.
    void add_cell() { ++n_own_cells_; }

    // Records that the last batch was decoded: the tokens in it have cells.
    void commit(Request & r);

    // Releases the cells of a value's rejected guesses.
    void trim(Value & v, int32_t n_rejected);

    void drop(Value & v);

    // Reserves cells for all tokens that the started fields of a request may have. Those for which
    // there are not enough go back to the fields that wait for their turn.
    void reserve_all(Request & r);

    // Makes the base of a finished request a prefix for later requests.
    void keep_prompt(Request & r);

    // Releases everything that a request holds.
    void release(Request & r);

    // Returns the sequences that hold a request's prompt.
    std::vector<SeqId> trunk_seqs(const Request & r) const;

    // Whether the request holds anything.
    bool has_any(const Request & r) const;

    PrefixCache & prefixes() { return prefixes_; }
    CacheOps & ops() { return ops_; }
    int32_t n_free_seqs() const { return pool_.n_free(); }
    int32_t n_own_cells() const { return n_own_cells_; }  // without those of prefixes
    int32_t n_cells_used() const { return n_own_cells_ + prefixes_.n_ready_cells(); }
    int32_t n_free_cells() const { return limits_.n_cells - n_cells_used(); }

    // Recounts everything; throws std::logic_error if counts are inconsistent.
    void check(const RequestList & running) const;

private:
    // Returns how many of the values of a request in turns, from the first one, have cells at once.
    size_t n_fitting_values(const Request & r) const;

    void free_trunk_owner(Request & r);

    const Limits & limits_;
    CacheOps ops_;
    SequencePool pool_;
    PrefixCache prefixes_;
    int32_t n_own_cells_ = 0;
};

}  // namespace hpd
