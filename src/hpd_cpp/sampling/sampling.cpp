#include "sampling/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "errors.h"
#include "sampling/exponential.h"

// The same loops compiled for several instruction sets, the best chosen when the library is loaded.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define HPD_SIMD_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define HPD_SIMD_CLONES
#endif

namespace hpd {

namespace {

constexpr int32_t block_size = 256;
constexpr float lowest = -std::numeric_limits<float>::infinity();
constexpr double total_rounding = 1e-5;  // the relative error of exp(log_sum), a float
[[maybe_unused]] constexpr size_t worth_threads = 1 << 18;  // logits: about 50 microseconds

HPD_SIMD_CLONES
float block_max(const float * x, int32_t n) {
    // In lanes: the compiler may not change the order in which a single maximum is taken.
    float lanes[16];
    std::fill(lanes, lanes + 16, lowest);
    int32_t i = 0;
    for (; i + 16 <= n; i += 16) {
        for (int32_t j = 0; j < 16; ++j) lanes[j] = x[i + j] > lanes[j] ? x[i + j] : lanes[j];
    }
    float best = lowest;
    for (; i < n; ++i) best = x[i] > best ? x[i] : best;
    for (float lane : lanes) best = lane > best ? lane : best;
    return best;
}

HPD_SIMD_CLONES
float block_exp_sum(const float * x, int32_t n, float shift) {
    float lanes[16] = {};
    int32_t i = 0;
    for (; i + 16 <= n; i += 16) {
        for (int32_t j = 0; j < 16; ++j) lanes[j] += exp_nonpositive(x[i + j] - shift);
    }
    float sum = 0.0f;
    for (; i < n; ++i) sum += exp_nonpositive(x[i] - shift);
    for (float lane : lanes) sum += lane;
    return sum;
}

// Reads each block of the row from memory only once, for its maximum and for its sum.
LogitRow sweep(const float * logits, int32_t n_vocab) {
    LogitRow r;
    r.logits = logits;
    r.n_vocab = n_vocab;
    double sum = 0.0;
    for (int32_t start = 0; start < n_vocab; start += block_size) {
        const int32_t n = std::min(block_size, n_vocab - start);
        const float * x = logits + start;
        const float top = block_max(x, n);
        if (top > r.second_logit) {
            for (int32_t i = 0; i < n; ++i) {
                if (x[i] > r.best_logit) {
                    r.second_logit = r.best_logit;
                    sum *= std::exp(static_cast<double>(r.best_logit) - x[i]);
                    r.best_logit = x[i];
                    r.best = start + i;
                } else if (x[i] > r.second_logit) {
                    r.second_logit = x[i];
                }
            }
        }
        if (r.best >= 0) sum += block_exp_sum(x, n, r.best_logit);
    }
    r.log_sum = r.best_logit + std::log(sum);
    return r;
}

const LogitRow & checked(const LogitRow & r) {
    check_finite(r.best_logit, r.log_sum);
    return r;
}

Choice describe(const LogitRow & r, int32_t token, double margin) {
    const double logprob = std::min(0.0, r.logits[token] - r.log_sum);
    return {token, static_cast<float>(logprob), static_cast<float>(margin)};
}

std::vector<int32_t> tokens_from(const LogitRow & r, float least_logit) {
    std::vector<int32_t> tokens;
    for (int32_t start = 0; start < r.n_vocab; start += block_size) {
        const int32_t n = std::min(block_size, r.n_vocab - start);
        if (block_max(r.logits + start, n) < least_logit) continue;
        for (int32_t token = start; token < start + n; ++token) {
            if (r.logits[token] >= least_logit) tokens.push_back(token);
        }
    }
    return tokens;
}

// Returns the sum of the probabilities of some tokens, relative to that of a token with this logit.
double sum_of(const LogitRow & r, const std::vector<int32_t> & tokens, double logit) {
    double sum = 0.0;
    for (const int32_t token : tokens) sum += std::exp(r.logits[token] - logit);
    return sum;
}

// Returns the same sum over all tokens whose logit is below least_logit.
double sum_below(const LogitRow & r, float least_logit, double logit) {
    double sum = 0.0;
    for (int32_t token = 0; token < r.n_vocab; ++token) {
        if (r.logits[token] < least_logit) sum += std::exp(r.logits[token] - logit);
    }
    return sum;
}

double log_odds(double p) { return std::log(p) - std::log1p(-p); }

// The candidate that a random number selects, and by how much a difference of two logits must
// change for a neighbour to be selected.
struct Draw {
    size_t index;
    double margin;
};

// If all logits move by at most d, the log odds of an edge between two candidates, like the
// difference of two logits, move by at most 2 d / temperature.
Draw draw(const std::vector<double> & weights, size_t n, double uniform, double temperature) {
    double total = 0.0;
    for (size_t i = 0; i < n; ++i) total += weights[i];
    Draw drawn{0, std::numeric_limits<double>::infinity()};
    double edge = 0.0;
    for (size_t i = 0; i + 1 < n; ++i) {
        edge += weights[i];
        if (uniform * total >= edge) drawn.index = i + 1;
        const double distance = std::abs(log_odds(uniform) - log_odds(edge / total));
        drawn.margin = std::min(drawn.margin, temperature * distance);
    }
    return drawn;
}

uint64_t mix(uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

}  // namespace

void check_finite(float best_logit, double log_sum) {
    if (std::isfinite(best_logit) && std::isfinite(log_sum)) return;
    throw DecodeError(
        "the model's logits are not finite: the weights may be damaged, or their "
        "type not supported on this device");
}

LogitRow read_row(const float * row, int32_t n_vocab) { return checked(sweep(row, n_vocab)); }

std::vector<LogitRow> read_rows(const float * rows, size_t n_rows, int32_t n_vocab,
                                [[maybe_unused]] int32_t n_threads) {
    std::vector<LogitRow> read(n_rows);
    const auto width = static_cast<size_t>(n_vocab);
    // llama.cpp uses the same threads when called from this thread, so they are awake.
#if defined(_OPENMP)
#pragma omp parallel for num_threads(n_threads) if (n_rows * width >= worth_threads)
#endif
    for (size_t i = 0; i < n_rows; ++i) read[i] = sweep(rows + i * width, n_vocab);
    for (const LogitRow & row : read) checked(row);
    return read;
}

Choice choose_greedy(const LogitRow & row) {
    return describe(row, row.best, row.best_logit - row.second_logit);
}

Choice choose_greedy(const LogitRow & row, const TokenFilter & allowed) {
    // The likeliest token is nearly always allowed. The others are checked only if it is not, or if
    // another is so near that it matters whether that one is allowed.
    const bool obeys = allowed(row.best);
    if (obeys && row.best_logit - row.second_logit >= near_tie_margin) return choose_greedy(row);
    int32_t best = obeys ? row.best : -1;
    float best_logit = obeys ? row.best_logit : lowest;
    float second_logit = lowest;
    const float least = obeys ? row.best_logit - near_tie_margin : lowest;
    for (int32_t token = 0; token < row.n_vocab; ++token) {
        const float logit = row.logits[token];
        if (!(logit > std::max(second_logit, least)) || token == row.best || !allowed(token))
            continue;
        if (best < 0 || logit > best_logit) {
            second_logit = best_logit;
            best_logit = logit;
            best = token;
        } else {
            second_logit = logit;
        }
    }
    if (best < 0) return {};
    const bool is_near = second_logit > lowest || !obeys;
    return describe(row, best, is_near ? best_logit - second_logit : near_tie_margin);
}

Choice choose_greedy(const LogitRow & row, const TokenFilter & allowed, const LogitBias & bias) {
    // A token without a bias can only be chosen if it would be without any.
    const Choice plain = choose_greedy(row, allowed);
    int32_t best = plain.token;
    float best_logit = best < 0 ? lowest : row.logits[best];
    float second_logit = best_logit - plain.margin;
    for (const auto & [token, added] : bias) {
        if (token < 0 || token >= row.n_vocab)
            throw std::invalid_argument("a bias is for a token that the model lacks");
        if (token == plain.token) best_logit += added;
    }
    for (const auto & [token, added] : bias) {
        const float logit = row.logits[token] + added;
        if (token == plain.token || !(logit > second_logit) || !allowed(token)) continue;
        second_logit = std::min(logit, best_logit);
        if (logit > best_logit) {
            best = token;
            best_logit = logit;
        }
    }
    if (best < 0) return {};
    return describe(row, best, best_logit - second_logit);
}

Choice choose_random(const LogitRow & r, const SamplingOptions & options, double uniform,
                     const TokenFilter & allowed) {
    if (options.temperature <= 0.0f) {
        return allowed ? choose_greedy(r, allowed) : choose_greedy(r);
    }
    const float * row = r.logits;
    std::vector<int32_t> order;  // likeliest first
    order.reserve(static_cast<size_t>(r.n_vocab));
    for (int32_t token = 0; token < r.n_vocab; ++token) {
        if (std::isfinite(row[token]) && (!allowed || allowed(token))) order.push_back(token);
    }
    if (order.empty()) return {};
    const auto likelier = [row](int32_t a, int32_t b) {
        return row[a] != row[b] ? row[a] > row[b] : a < b;
    };
    const size_t k = options.top_k > 0
                         ? std::min<size_t>(order.size(), static_cast<size_t>(options.top_k))
                         : order.size();
    // One more than top-k keeps, as it may be nearly as likely as the last one kept.
    const size_t n_sorted = std::min(order.size(), k + 1);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n_sorted),
                      order.end(), likelier);
    order.resize(n_sorted);

    const double top = row[order.front()];
    double total = 0.0;
    for (size_t i = 0; i < k; ++i) total += std::exp(row[order[i]] - top);
    // How far each is within the limits of top-p and min-p, as a difference of logits; negative
    // outside. The likeliest is first, so min-p cuts a tail.
    std::vector<double> within;
    std::vector<double> weights;
    double before = 0.0;
    for (size_t i = 0; i < k; ++i) {
        const double logit = row[order[i]] - top;
        const double in_top_p = log_odds(options.top_p) - log_odds(std::min(1.0, before / total));
        within.push_back(std::min(logit - std::log(options.min_p), in_top_p));
        weights.push_back(std::exp(logit / options.temperature));
        before += std::exp(logit);
    }
    size_t n_kept = 1;  // the first always is
    while (n_kept < k && within[n_kept] > 0.0) ++n_kept;

    const auto drawn = [&](size_t n) { return draw(weights, n, uniform, options.temperature); };
    const Draw chosen = drawn(n_kept);
    const size_t i = chosen.index;
    double margin = chosen.margin;
    if (i > 0) margin = std::min<double>(margin, row[order[i - 1]] - row[order[i]]);
    if (i + 1 < order.size()) margin = std::min<double>(margin, row[order[i]] - row[order[i + 1]]);
    // If slightly different logits let top-p and min-p keep more or fewer candidates, another token
    // might be drawn.
    const auto consider = [&](size_t n, double distance) {
        if (distance >= std::min<double>(margin, near_tie_margin)) return;
        const Draw other = drawn(n);
        margin = std::min(margin, other.index != i ? distance : std::max(distance, other.margin));
    };
    for (size_t n = 1; n < n_kept; ++n) consider(n, within[n]);
    double distance = 0.0;
    for (size_t n = n_kept; n < k && distance < near_tie_margin; ++n) {
        distance = std::max(distance, -within[n]);
        consider(n + 1, distance);
    }
    return describe(r, order[i], margin);
}

std::vector<int32_t> tokens_beside(const LogitRow & row, int32_t token, double share) {
    const double logit = row.logits[token];
    const double total = std::exp(row.log_sum - logit);
    // So low that even a whole vocabulary of lower logits would be negligible.
    const double deepest = std::log(row.n_vocab / share);
    // Subtracting from the total costs nothing, but the rounding error of a large total can hide a
    // rest that matters compared with an unlikely token.
    const bool is_exact = total * total_rounding < share;
    for (double depth = -std::log(share);; depth += 4.0) {
        const auto least = static_cast<float>(logit - std::min(depth, deepest));
        auto tokens = tokens_from(row, least);
        if (depth >= deepest) return tokens;
        const double rest =
            is_exact ? total - sum_of(row, tokens, logit) : sum_below(row, least, logit);
        if (rest < share) return tokens;
    }
}

float log_sum(const LogitRow & row, const std::vector<int32_t> & tokens) {
    float top = lowest;
    for (const int32_t token : tokens) top = std::max(top, row.logits[token]);
    const double sum = top + std::log(sum_of(row, tokens, top));
    return static_cast<float>(std::min(0.0, sum - row.log_sum));
}

double uniform_at(uint64_t seed, uint64_t stream, uint64_t n) {
    const uint64_t bits = mix(mix(mix(seed) ^ stream) ^ n);
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace hpd
