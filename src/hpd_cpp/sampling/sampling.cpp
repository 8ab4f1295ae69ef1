#include "sampling/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
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

// One sweep: each block of the row is read from memory once, for its maximum and for its sum.
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
    if (r.best < 0 || !std::isfinite(r.best_logit) || !std::isfinite(r.log_sum)) {
        throw DecodeError(
            "the model's logits are not finite: the weights may be damaged, or their "
            "type not supported on this device");
    }
    return r;
}

Choice describe(const LogitRow & r, int32_t token) {
    const float other = token == r.best ? r.second_logit : r.best_logit;
    const float logit = r.logits[token];
    return {token, static_cast<float>(std::min(0.0, logit - r.log_sum)), logit - other};
}

uint64_t mix(uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

}  // namespace

LogitRow read_row(const float * row, int32_t n_vocab) { return checked(sweep(row, n_vocab)); }

std::vector<LogitRow> read_rows(const float * rows, size_t n_rows, int32_t n_vocab,
                                [[maybe_unused]] int32_t n_threads) {
    std::vector<LogitRow> read(n_rows);
    const auto width = static_cast<size_t>(n_vocab);
    // The threads are the ones that llama.cpp, too, calls from this thread: they are awake.
#if defined(_OPENMP)
#pragma omp parallel for num_threads(n_threads) if (n_rows * width >= worth_threads)
#endif
    for (size_t i = 0; i < n_rows; ++i) read[i] = sweep(rows + i * width, n_vocab);
    for (const LogitRow & row : read) checked(row);
    return read;
}

Choice choose_greedy(const LogitRow & row) { return describe(row, row.best); }

Choice choose_greedy(const LogitRow & row, const TokenFilter & allowed) {
    // The likeliest token is nearly always allowed: look at the others only if it is not.
    if (allowed(row.best)) return describe(row, row.best);
    int32_t best = -1;
    for (int32_t token = 0; token < row.n_vocab; ++token) {
        const bool better = best < 0 || row.logits[token] > row.logits[best];
        if (better && allowed(token)) best = token;
    }
    return best < 0 ? Choice{} : describe(row, best);
}

Choice choose_random(const LogitRow & r, const SamplingOptions & options, double uniform,
                     const TokenFilter & allowed) {
    if (options.temperature <= 0.0f) {
        return allowed ? choose_greedy(r, allowed) : choose_greedy(r);
    }
    const float * row = r.logits;
    const int32_t n_vocab = r.n_vocab;

    std::vector<int32_t> kept;
    kept.reserve(n_vocab);
    for (int32_t token = 0; token < n_vocab; ++token) {
        if (std::isfinite(row[token]) && (!allowed || allowed(token))) kept.push_back(token);
    }
    if (kept.empty()) return {};
    const auto likelier = [row](int32_t a, int32_t b) {
        return row[a] != row[b] ? row[a] > row[b] : a < b;
    };
    const size_t k = options.top_k > 0
                         ? std::min<size_t>(kept.size(), static_cast<size_t>(options.top_k))
                         : kept.size();
    std::partial_sort(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(k), kept.end(),
                      likelier);
    kept.resize(k);

    const double top = row[kept.front()];
    double total = 0.0;
    for (int32_t token : kept) total += std::exp(row[token] - top);
    double sum = 0.0;
    size_t n_kept = 0;
    for (int32_t token : kept) {
        const double p = std::exp(row[token] - top);
        // Likeliest first, so the first is always kept and min-p cuts a tail.
        if (n_kept > 0 && (p < options.min_p || sum >= options.top_p * total)) break;
        sum += p;
        ++n_kept;
    }
    kept.resize(n_kept);

    std::vector<double> weights;
    double weight_sum = 0.0;
    for (int32_t token : kept) {
        weights.push_back(std::exp((row[token] - top) / options.temperature));
        weight_sum += weights.back();
    }
    double left = uniform * weight_sum;
    size_t i = 0;
    while (i + 1 < kept.size() && left >= weights[i]) left -= weights[i++];
    return describe(r, kept[i]);
}

double uniform_at(uint64_t seed, uint64_t stream, uint64_t n) {
    const uint64_t bits = mix(mix(mix(seed) ^ stream) ^ n);
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace hpd
