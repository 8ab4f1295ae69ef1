#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "scheduling/tokens.h"

namespace hpd {

struct CacheOp {
    enum class Kind { fork, drop, trim };
    Kind kind;
    SeqId seq;  // the sequence made, dropped or trimmed
    SeqId from = no_seq;  // fork: the sequence copied
    int32_t position = 0;  // fork: copies cells before it; trim: removes cells from it on
};

// Operations on the KV cache before the next batch, in order.
class CacheOps {
public:
    void fork(SeqId from, SeqId to, int32_t position) {
        ops_.push_back({CacheOp::Kind::fork, to, from, position});
    }
    void drop(SeqId seq) { ops_.push_back({CacheOp::Kind::drop, seq}); }
    void trim(SeqId seq, int32_t position) {
        ops_.push_back({CacheOp::Kind::trim, seq, no_seq, position});
    }

    std::vector<CacheOp> take() { return std::exchange(ops_, {}); }

    // Forgets the operations, as the cache itself was cleared.
    void clear() { ops_.clear(); }

private:
    std::vector<CacheOp> ops_;
};

}  // namespace hpd
