#pragma once

#include <cstdint>
#include <functional>

#include "options.h"

namespace hpd {

// One token chosen from one row of logits.
struct Choice {
    int32_t token = -1;
    float logprob = 0.0f;  // of the token, under the model's own distribution (temperature 1)
    float margin = 0.0f;  // its logit less the best other logit; negative if it was not the best
};

// True for tokens that may be chosen.
using TokenFilter = std::function<bool(int32_t)>;

// The most likely token; of equals, the one with the lowest id.
// Throws DecodeError if the row holds no finite logit.
Choice choose_greedy(const float * row, int32_t n_vocab);

// The most likely token that the filter lets through; token -1 if there is none.
Choice choose_greedy(const float * row, int32_t n_vocab, const TokenFilter & allowed);

// A random token: top-k, then top-p, then min-p, then temperature, as llama.cpp's chain does.
// `uniform` in [0, 1) decides which. The filter, where given, is applied first.
Choice choose_random(const float * row, int32_t n_vocab, const SamplingOptions & options,
                     double uniform, const TokenFilter & allowed = nullptr);

// The n-th number of the stream that belongs to (seed, stream), in [0, 1). Pure: a value's numbers
// do not depend on what else is being decoded.
double uniform_at(uint64_t seed, uint64_t stream, uint64_t n);

}  // namespace hpd
