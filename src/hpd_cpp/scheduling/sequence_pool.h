#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "scheduling/cache_ops.h"
#include "scheduling/tokens.h"

namespace hpd {

// The sequence ids of a cache. An id that is given back is dropped from the cache, so it is empty
// when it is taken again.
class SequencePool {
public:
    // `ops` gets the drops, and must outlive this.
    SequencePool(int32_t n_seq, CacheOps & ops);

    // Returns the lowest free id, so that runs are repeatable. Throws std::logic_error if none is
    // free.
    SeqId take();

    // Throws std::logic_error if the id is free already.
    void give_back(SeqId seq);

    int32_t n_free() const { return static_cast<int32_t>(free_.size()); }

    // Throws std::logic_error unless these are the ids taken, each of them once.
    void check(const std::vector<SeqId> & taken) const;

private:
    int32_t n_seq_;
    CacheOps & ops_;
    std::set<SeqId> free_;
};

}  // namespace hpd
