#pragma once

#include <cstdint>
#include <vector>

#include "scheduling/cache_ops.h"
#include "scheduling/request.h"
#include "scheduling/tokens.h"

namespace hpd {

// What a batch is made of: prompts and keys to be read, or values only.
enum class BatchKind : uint8_t { reading, values };

struct BatchToken {
    Token token;
    int32_t position;
    std::vector<SeqId> seqs;
    bool output;  // logits are wanted after this token
};

// Logits to be read: the token after `n_drafted` guesses of the value's draft. Several values may
// read one row (their keys may be equal).
struct OutputRow {
    int32_t row;  // counts the batch's outputs
    Value * value;
    int32_t n_drafted;
};

struct BatchPlan {
    std::vector<CacheOp> ops;  // before it is decoded
    std::vector<BatchToken> batch;
    std::vector<OutputRow> rows;  // by value, then by n_drafted
    BatchKind kind = BatchKind::values;
};

}  // namespace hpd
