#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "options.h"

namespace hpd {

// A choice with a smaller margin is a near tie: if its document is decoded together with others,
// where sums are rounded differently, another token may be chosen. This is more than all
// differences measured between the margins of the same document in different batches:
// docs/reliability.md.
constexpr float near_tie_margin = 0.2f;

// One token chosen from one row of logits.
struct Choice {
    int32_t token = -1;
    float logprob = 0.0f;  // of the token, under the model's own distribution (temperature 1)
    // By how much the difference of two logits must change for another token to be chosen; infinite
    // if there is no other. From near_tie_margin on, it is only a lower bound.
    float margin = 0.0f;
};

// True for tokens that may be chosen.
using TokenFilter = std::function<bool(int32_t)>;

// Tokens, each with a number, not negative, that is added to its logit.
using LogitBias = std::vector<std::pair<int32_t, float>>;

// One row of logits, (n_vocab), and what a sweep over it found.
struct LogitRow {
    const float * logits = nullptr;
    int32_t n_vocab = 0;
    int32_t best = -1;  // the likeliest token; of equals, the one with the lowest id
    float best_logit = -std::numeric_limits<float>::infinity();
    float second_logit = -std::numeric_limits<float>::infinity();
    double log_sum = 0.0;  // log of the sum of exp(logit)
};

// Reads the rows (n_rows, n_vocab), on n_threads threads if there are enough logits. Throws
// DecodeError if the largest logit of a row or its log_sum is not finite.
std::vector<LogitRow> read_rows(const float * rows, size_t n_rows, int32_t n_vocab,
                                int32_t n_threads);
LogitRow read_row(const float * row, int32_t n_vocab);

// Throws DecodeError if one of the two is not finite.
void check_finite(float best_logit, double log_sum);

// Chooses the most likely token.
Choice choose_greedy(const LogitRow & row);

// Chooses the most likely token that the filter allows; the token is -1 if there is none.
Choice choose_greedy(const LogitRow & row, const TokenFilter & allowed);

// The same with a bias. The log-probability of the token is the model's own.
Choice choose_greedy(const LogitRow & row, const TokenFilter & allowed, const LogitBias & bias);

// Chooses a random token: top-k, then top-p, then min-p, then temperature, as llama.cpp's chain
// does. `uniform` in [0, 1) decides which. The filter, where given, is applied first.
Choice choose_random(const LogitRow & row, const SamplingOptions & options, double uniform,
                     const TokenFilter & allowed = nullptr);

constexpr double negligible = 1e-3;  // as a share of a token's probability

// Returns a row's likeliest tokens, so many that all others together have less than this share of
// the probability of `token`.
std::vector<int32_t> tokens_beside(const LogitRow & row, int32_t token, double share);

// Returns the log of the total probability of some tokens.
float log_sum(const LogitRow & row, const std::vector<int32_t> & tokens);

// Returns the n-th random number, in [0, 1), of the stream that belongs to (seed, stream). Pure: a
// value's numbers do not depend on what else is being decoded.
double uniform_at(uint64_t seed, uint64_t stream, uint64_t n);

}  // namespace hpd
