#pragma once

#include <cstdint>
#include <vector>

#include "scheduling/cache_ops.h"
#include "scheduling/request.h"
#include "scheduling/tokens.h"

namespace hpd {

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
    int32_t n_read = 0;  // tokens of prompts and keys
    int32_t n_rows = 0;  // rows of logits
};

}  // namespace hpd
