#pragma once

#include <cstdint>
#include <limits>

namespace hpd {

struct Limits {
    int32_t n_seq = 256;       // sequence ids
    int32_t n_cells = 0;       // KV cells
    int32_t n_batch = 512;     // tokens in a batch
    int32_t n_rows = std::numeric_limits<int32_t>::max();  // of logits in a batch
    int32_t n_value_batch = 0;  // tokens in a batch of values only; 0: no such batches
    int32_t n_in_flight = 24;   // requests
    // No request is started beside others if more cells than this would then be in use, not
    // counting those of instructions.
    int32_t n_busy_cells = std::numeric_limits<int32_t>::max();
    // A common beginning of two instructions is kept only once if it has at least this many tokens.
    // A shorter one is not worth a sequence id.
    int32_t n_common_least = 16;
    // Whether one token may belong to several sequences. Recurrent and hybrid models cannot do
    // that: their prompt is read by one sequence and forked at its end.
    bool shares_tokens = true;
    // Decodes each request alone. The cache then holds only the request's own prefix, which was
    // also read alone, so batches and the positions of cells depend only on the request. No prompt
    // is kept.
    bool alone = false;
};

}  // namespace hpd
