#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "options.h"

namespace hpd {

// A choice with a smaller margin is a near tie: beside other company, where sums are rounded in
// another way, it may fall otherwise. Above all differences that were measured between the margins
// of one document in different company: docs/reliability.md.
constexpr float near_tie_margin = 0.2f;

// One token chosen from one row of logits.
struct Choice {
    int32_t token = -1;
    float logprob = 0.0f;  // of the token, under the model's own distribution (temperature 1)
    // By how much the difference of two logits must change for another token to be chosen:
    // infinite if there is no other. If it is not below near_tie_margin, it may be more than this.
    float margin = 0.0f;
};

// True for tokens that may be chosen.
using TokenFilter = std::function<bool(int32_t)>;

// One row of logits, (n_vocab), and what a sweep over it tells.
struct LogitRow {
    const float * logits = nullptr;
    int32_t n_vocab = 0;
    int32_t best = -1;  // of equals, the token with the lowest id
    float best_logit = -std::numeric_limits<float>::infinity();
    float second_logit = -std::numeric_limits<float>::infinity();
    double log_sum = 0.0;  // log of the sum of exp(logit)
};

// The rows (n_rows, n_vocab), each swept by one of so many threads, where it is worth waking them.
// Throws DecodeError if a row holds no finite logit.
std::vector<LogitRow> read_rows(const float * rows, size_t n_rows, int32_t n_vocab,
                                int32_t n_threads);
LogitRow read_row(const float * row, int32_t n_vocab);

// Throws DecodeError if what was read of a row is not finite.
void check_finite(float best_logit, double log_sum);

// The most likely token.
Choice choose_greedy(const LogitRow & row);

// The most likely token that the filter lets through; token -1 if there is none.
Choice choose_greedy(const LogitRow & row, const TokenFilter & allowed);

// A random token: top-k, then top-p, then min-p, then temperature, as llama.cpp's chain does.
// `uniform` in [0, 1) decides which. The filter, where given, is applied first.
Choice choose_random(const LogitRow & row, const SamplingOptions & options, double uniform,
                     const TokenFilter & allowed = nullptr);

constexpr double negligible = 1e-3;  // beside the probability of a token

// A row's likeliest tokens, down to some depth below `token`: all others together are less likely
// than this share of it.
std::vector<int32_t> tokens_beside(const LogitRow & row, int32_t token, double share);

// The log of the probability of some tokens together.
float log_sum(const LogitRow & row, const std::vector<int32_t> & tokens);

// The n-th number of the stream that belongs to (seed, stream), in [0, 1). Pure: a value's numbers
// do not depend on what else is being decoded.
double uniform_at(uint64_t seed, uint64_t stream, uint64_t n);

}  // namespace hpd
