#pragma once

#include <array>
#include <cstdint>

#include "scheduling/batch_plan.h"

namespace hpd {

// What a batch costs, learnt from the batches decoded: fixed + per_token * n_tokens, for each kind
// of its own. They differ: a value's token has a row of logits, and with llama.cpp's attention on a
// CPU it pays alone for what the tokens of one document share.
//
// Whatever else the machine does only makes batches slower, so the fastest of each size counts.
class BatchCost {
public:
    void observe(BatchKind kind, int32_t n_tokens, double seconds);

    // How likely a guess must be to be worth its place, where n_values values share the steps.
    //
    // A guess costs a value's token, wherever it rides: it has a row of logits. A right one saves
    // as much in a later batch, and the value's share of the fixed cost of the step that it makes
    // unnecessary.
    double least_probability(int32_t n_values) const;

private:
    struct Fastest {
        double n_tokens = 0.0;
        double seconds = 0.0;  // 0: no batch of this size yet
    };
    struct Line {
        double fixed;
        double per_token;
    };
    using Records = std::array<Fastest, 16>;  // by the number of bits of n_tokens

    // A least-squares line through the records; false if there are not two of them.
    static bool fit(const Records & records, Line & line);

    std::array<Records, 2> records_;
};

}  // namespace hpd
