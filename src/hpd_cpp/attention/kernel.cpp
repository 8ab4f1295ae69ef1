// Compiled once for each instruction set, as HPD_KERNEL. No templates of the standard library may
// be used here: a linker keeps one copy of each for the whole program, which could be the one with
// instructions that the processor lacks.

#include "attention/kernel.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "sampling/exponential.h"

namespace hpd {

namespace {

// A lane is a query: every number of a key or value is multiplied with all queries at once, and
// there are no sums across lanes. Blocks fill the registers.
#if defined(__AVX512F__)
constexpr int n_lanes = 16;
constexpr int cell_block = 16;
constexpr int value_block = 16;
#elif defined(__AVX2__) || defined(__clang__)
constexpr int n_lanes = 8;
constexpr int cell_block = 12;
constexpr int value_block = 8;
#else
// GCC keeps a vector of two NEON registers in memory, so a vector is one register here.
constexpr int n_lanes = 4;
constexpr int cell_block = 16;
constexpr int value_block = 16;
#endif
static_assert(attention_tile % cell_block == 0, "a tile is whole blocks");

using Lanes = float __attribute__((vector_size(n_lanes * sizeof(float))));
using Bits = uint32_t __attribute__((vector_size(n_lanes * sizeof(uint32_t))));

constexpr float lowest = -1e30f;  // finite, so that differences are never NaN

void read_halves(const char * from, int32_t n, float * to) {
#if defined(__AVX512F__)
    for (int32_t i = 0; i < n; i += 16) {
        const __m256i h = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + 2 * i));
        _mm512_store_ps(to + i, _mm512_maskz_cvtph_ps(0xffff, h));
    }
#elif defined(__F16C__)
    for (int32_t i = 0; i < n; i += 8) {
        const __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + 2 * i));
        _mm256_store_ps(to + i, _mm256_cvtph_ps(h));
    }
#else
    const auto * halves = reinterpret_cast<const __fp16 *>(from);
    for (int32_t i = 0; i < n; ++i) to[i] = static_cast<float>(halves[i]);
#endif
}

auto lanes_in(uint32_t seen) {
    Bits bit = {};
    for (int i = 0; i < n_lanes; ++i) bit[i] = 1u << i;
    return ((Bits{} + seen) & bit) != 0;
}

// scores[c] = the products of key c and all queries
void score(const float * keys, const Lanes * queries, int32_t d, int32_t n_cells, Lanes * scores) {
    for (int32_t c = 0; c < n_cells; c += cell_block) {
        const float * key = keys + c * d;
        Lanes sum[cell_block] = {};
        for (int32_t i = 0; i < d; ++i) {
#pragma GCC unroll 16
            for (int j = 0; j < cell_block; ++j) sum[j] += key[j * d + i] * queries[i];
        }
        for (int j = 0; j < cell_block; ++j) scores[c + j] = sum[j];
    }
}

// out[i] = out[i] * decay + the sum over cells of weight and value
void add_values(const float * values, const Lanes * weights, int32_t d, int32_t n_cells,
                Lanes decay, Lanes * out) {
    for (int32_t i = 0; i < d; i += value_block) {
        Lanes sum[value_block];
        for (int j = 0; j < value_block; ++j) sum[j] = out[i + j] * decay;
        for (int32_t c = 0; c < n_cells; ++c) {
            const float * value = values + c * d + i;
#pragma GCC unroll 16
            for (int j = 0; j < value_block; ++j) sum[j] += value[j] * weights[c];
        }
        for (int j = 0; j < value_block; ++j) out[i + j] = sum[j];
    }
}

void attend(const AttentionJob & job) {
    const int32_t d_k = job.d_k;
    const int32_t d_v = job.d_v;
    auto * queries = reinterpret_cast<Lanes *>(job.scratch);
    Lanes * out = queries + d_k;
    Lanes * scores = out + d_v;
    auto * floats = reinterpret_cast<float *>(scores + attention_tile);

    for (int32_t i = 0; i < d_k; ++i) {
        Lanes q = {};
        for (int32_t r = 0; r < job.n_rows; ++r) q[r] = job.q[r][i];
        queries[i] = q * job.scale;
    }
    for (int32_t i = 0; i < d_v; ++i) out[i] = Lanes{};
    Lanes highest = Lanes{} + lowest;
    Lanes total = {};

    // Online softmax: the sums so far are scaled down when a higher score is found.
    for (int32_t start = 0; start < job.n_cells; start += attention_tile) {
        const int32_t left = job.n_cells - start;
        const int32_t n = left < attention_tile ? left : attention_tile;
        const int32_t * cells = job.cells + start;
        const uint16_t * seen = job.seen + start;
        for (int32_t c = 0; c < n; ++c) {
            read_halves(job.k + static_cast<size_t>(cells[c]) * job.k_stride, d_k,
                        floats + c * d_k);
        }
        score(floats, queries, d_k, n, scores);
        Lanes now = highest;
        for (int32_t c = 0; c < n; ++c) {
            scores[c] = lanes_in(seen[c]) ? scores[c] : Lanes{} + lowest;
            now = scores[c] > now ? scores[c] : now;
        }
        const Lanes decay = exp_nonpositive<Lanes, Bits>(highest - now);
        highest = now;
        total *= decay;
        for (int32_t c = 0; c < n; ++c) {
            const Lanes weight = exp_nonpositive<Lanes, Bits>(scores[c] - now);
            scores[c] = lanes_in(seen[c]) ? weight : Lanes{};
            total += scores[c];
        }
        for (int32_t c = 0; c < n; ++c) {
            read_halves(job.v + static_cast<size_t>(cells[c]) * job.v_stride, d_v,
                        floats + c * d_v);
        }
        add_values(floats, scores, d_v, n, decay, out);
    }

    for (int32_t r = 0; r < job.n_rows; ++r) {
        const float norm = total[r] > 0.0f ? 1.0f / total[r] : 0.0f;
        for (int32_t i = 0; i < d_v; ++i) job.out[r][i] = out[i][r] * norm;
    }
}

}  // namespace

AttentionKernel HPD_KERNEL() { return {HPD_ISA, n_lanes, attend}; }

}  // namespace hpd
