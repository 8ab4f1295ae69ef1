#include "sampling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "errors.h"

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

// exp(x) for x <= 0, to about 2e-7 relative: a plain loop over it vectorises, std::exp does not.
inline float exp_nonpositive(float x) {
    x = x < -87.0f ? -87.0f : x;
    const float t = x * 1.44269504f;
    // Round to nearest by adding and taking away 1.5 * 2^23.
    const float shifted = t + 12582912.0f;
    const float n = shifted - 12582912.0f;
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691e-4f;
    p = p * r + 1.3981999e-3f;
    p = p * r + 8.3334519e-3f;
    p = p * r + 4.1665796e-2f;
    p = p * r + 1.6666665e-1f;
    p = p * r + 5.0e-1f;
    p = p * r * r + r + 1.0f;
    int32_t bits;
    std::memcpy(&bits, &p, sizeof bits);
    bits += static_cast<int32_t>(n) * (1 << 23);
    std::memcpy(&p, &bits, sizeof p);
    return p;
}

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

struct RowSummary {
    int32_t best = -1;
    float best_logit = lowest;
    float second_logit = lowest;
    double log_sum = 0.0;  // log of the sum of exp(logit)
};

// One sweep: each block of the row is read from memory once, for its maximum and for its sum.
RowSummary summarise(const float * row, int32_t n_vocab) {
    RowSummary s;
    double sum = 0.0;
    for (int32_t start = 0; start < n_vocab; start += block_size) {
        const int32_t n = std::min(block_size, n_vocab - start);
        const float * x = row + start;
        const float top = block_max(x, n);
        if (top > s.second_logit) {
            for (int32_t i = 0; i < n; ++i) {
                if (x[i] > s.best_logit) {
                    s.second_logit = s.best_logit;
                    sum *= std::exp(static_cast<double>(s.best_logit) - x[i]);
                    s.best_logit = x[i];
                    s.best = start + i;
                } else if (x[i] > s.second_logit) {
                    s.second_logit = x[i];
                }
            }
        }
        if (s.best >= 0) sum += block_exp_sum(x, n, s.best_logit);
    }
    if (s.best < 0 || !std::isfinite(s.best_logit) || !std::isfinite(sum)) {
        throw DecodeError(
            "the model's logits are not finite: the weights may be damaged, or their "
            "type not supported on this device");
    }
    s.log_sum = s.best_logit + std::log(sum);
    return s;
}

Choice describe(const float * row, int32_t token, const RowSummary & s) {
    const float other = token == s.best ? s.second_logit : s.best_logit;
    return {token, static_cast<float>(std::min(0.0, row[token] - s.log_sum)), row[token] - other};
}

uint64_t mix(uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

}  // namespace

Choice choose_greedy(const float * row, int32_t n_vocab) {
    const RowSummary s = summarise(row, n_vocab);
    return describe(row, s.best, s);
}

Choice choose_greedy(const float * row, int32_t n_vocab, const TokenFilter & allowed) {
    const RowSummary s = summarise(row, n_vocab);
    // The likeliest token is nearly always allowed: look at the others only if it is not.
    if (allowed(s.best)) return describe(row, s.best, s);
    int32_t best = -1;
    for (int32_t token = 0; token < n_vocab; ++token) {
        if ((best < 0 || row[token] > row[best]) && allowed(token)) best = token;
    }
    return best < 0 ? Choice{} : describe(row, best, s);
}

Choice choose_random(const float * row, int32_t n_vocab, const SamplingOptions & options,
                     double uniform, const TokenFilter & allowed) {
    if (options.temperature <= 0.0f) {
        return allowed ? choose_greedy(row, n_vocab, allowed) : choose_greedy(row, n_vocab);
    }
    const RowSummary s = summarise(row, n_vocab);

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
    return describe(row, kept[i], s);
}

double uniform_at(uint64_t seed, uint64_t stream, uint64_t n) {
    const uint64_t bits = mix(mix(mix(seed) ^ stream) ^ n);
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace hpd
