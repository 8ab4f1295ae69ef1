#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "scheduling/cache_ops.h"
#include "scheduling/tokens.h"

namespace hpd {

// Hands out the sequence ids of a cache. An id that is given back loses its cells, so it is empty
// when it is taken again.
class SequencePool {
public:
    // Cells are dropped through `ops`, which must outlive this.
    SequencePool(int32_t n_seq, CacheOps & ops);

    // Returns the lowest free id, so that runs are repeatable. Throws std::logic_error if none is
    // free.
    SeqId take();

    // Throws std::logic_error if the id is free already.
    void give_back(SeqId seq);

    int32_t n_free() const { return static_cast<int32_t>(free_.size()); }

    // Throws std::logic_error unless `taken` has exactly the ids that are in use, each once.
    void check(const std::vector<SeqId> & taken) const;

private:
    int32_t n_seq_;
    CacheOps & ops_;
    std::set<SeqId> free_;
};

}  // namespace hpd
