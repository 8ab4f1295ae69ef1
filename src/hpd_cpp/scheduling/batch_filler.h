#pragma once

#include <cstdint>
#include <vector>

#include "drafting/drafter.h"
#include "scheduling/batch_plan.h"
#include "scheduling/holdings.h"

namespace hpd {

// Fills a batch with tokens of prompts, keys and values while there is room in the batch and in the
// cache.
class BatchFiller {
public:
    // The first three must outlive this; `drafter` may be null. At most n_guesses_max guesses are
    // added.
    BatchFiller(const Limits & limits, Holdings & holdings, Drafter * drafter,
                int32_t n_guesses_max);

    // Sets the maximum size of the batch from here on.
    void set_size(int32_t n_batch) { n_batch_ = n_batch; }

    bool has_room() const { return n_batch_left() > 0 && holdings_.n_free_cells() > 0; }
    int32_t n_batch_left() const { return n_batch_ - n_tokens(); }
    int32_t n_tokens() const { return static_cast<int32_t>(plan_.batch.size()); }

    // Adds those tokens of the request's prompt and keys that have not been in a batch.
    void read(Request & r);

    // Adds a value's next token, followed by guesses.
    void add(Value & v);

    // Returns the batch, with the cache operations that must precede it.
    BatchPlan finish();

    // Whether the batch has tokens of prompts or keys.
    bool reads() const { return plan_.n_read > 0; }

private:
    bool read_trunk(Request & r);
    void read_keys(Request & r);
    void open_values(const std::vector<Value *> & values, int32_t row);
    void add_draft(Value & v);
    int32_t add_token(Token token, int32_t position, std::vector<SeqId> seqs, bool output);

    const Limits & limits_;
    Holdings & holdings_;
    Drafter * drafter_;
    int32_t n_guesses_left_;
    int32_t n_batch_;
    BatchPlan plan_;
};

}  // namespace hpd
