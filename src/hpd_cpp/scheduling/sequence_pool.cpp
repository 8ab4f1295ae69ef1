#include "scheduling/sequence_pool.h"

#include <stdexcept>
#include <string>

namespace hpd {

SequencePool::SequencePool(int32_t n_seq, CacheOps & ops) : n_seq_(n_seq), ops_(ops) {
    for (SeqId s = 0; s < n_seq; ++s) free_.insert(s);
}

SeqId SequencePool::take() {
    if (free_.empty()) throw std::logic_error("sequence pool: no id is free");
    return free_.extract(free_.begin()).value();
}

void SequencePool::give_back(SeqId seq) {
    const bool was_taken = seq >= 0 && seq < n_seq_ && free_.insert(seq).second;
    if (!was_taken) {
        throw std::logic_error("sequence pool: " + std::to_string(seq) + " was not taken");
    }
    ops_.drop(seq);
}

void SequencePool::check(const std::vector<SeqId> & taken) const {
    std::set<SeqId> all = free_;
    for (const SeqId seq : taken) {
        const bool is_new = seq >= 0 && seq < n_seq_ && all.insert(seq).second;
        if (!is_new) {
            throw std::logic_error("sequence pool: " + std::to_string(seq) +
                                   " is free, used twice or out of range");
        }
    }
    if (static_cast<int32_t>(all.size()) != n_seq_) {
        throw std::logic_error("sequence pool: an id was lost");
    }
}

}  // namespace hpd
