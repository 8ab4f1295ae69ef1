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

// A row of logits from which a value's next token is chosen, after the first `n_drafted` guesses of
// its draft. Several values share a row if their keys are equal.
struct OutputRow {
    int32_t row;  // index among the batch's outputs
    Value * value;
    int32_t n_drafted;
};

struct BatchPlan {
    std::vector<CacheOp> ops;  // to apply before decoding
    std::vector<BatchToken> batch;
    std::vector<OutputRow> rows;  // by value, then by n_drafted
    int32_t n_read = 0;  // tokens of prompts and keys
    int32_t n_rows = 0;  // rows of logits
};

}  // namespace hpd
