// Compiled once for each instruction set, as HPD_KERNEL. No templates of the standard library may
// be used here, as in attention/kernel.cpp.

#include "products/kernel.h"

#include <immintrin.h>

#include <cstring>

namespace hpd {

namespace {

// A lane is a row of weights: its 32 bits have four neighbouring weights of the row, which are
// multiplied with the same four numbers of a token for all rows at once. So weights are unpacked
// once for all tokens, and there are no sums across lanes.
#if defined(__AVX512VNNI__)
constexpr int n_lanes = 16;
#else
constexpr int n_lanes = 8;
#endif

using Bits = uint32_t __attribute__((vector_size(n_lanes * sizeof(uint32_t))));
using Ints = int32_t __attribute__((vector_size(n_lanes * sizeof(int32_t))));
using Lanes = float __attribute__((vector_size(n_lanes * sizeof(float))));

Bits in_each_byte(uint32_t number) { return Bits{} + number * 0x01010101u; }

Lanes as_floats(Ints numbers) { return __builtin_convertvector(numbers, Lanes); }

#if defined(__AVX512VNNI__)

Bits load(const char * row, size_t stride) {
    const auto at = [&](int i) {
        const char * from = row + static_cast<size_t>(i) * stride;
        return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
    };
    __m512i all = _mm512_castsi128_si512(at(0));
    all = _mm512_inserti32x4(all, at(4), 1);
    all = _mm512_inserti32x4(all, at(8), 2);
    return (Bits)_mm512_inserti32x4(all, at(12), 3);
}

template <bool high>
Bits interleave_32(Bits a, Bits b) {
    return high ? (Bits)_mm512_unpackhi_epi32((__m512i)a, (__m512i)b)
                : (Bits)_mm512_unpacklo_epi32((__m512i)a, (__m512i)b);
}

template <bool high>
Bits interleave_64(Bits a, Bits b) {
    return high ? (Bits)_mm512_unpackhi_epi64((__m512i)a, (__m512i)b)
                : (Bits)_mm512_unpacklo_epi64((__m512i)a, (__m512i)b);
}

// Adds the products of four unsigned weights of each row and four numbers.
Ints add_products(Ints sum, Bits weights, int32_t numbers) {
    return (Ints)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)weights, _mm512_set1_epi32(numbers));
}

// The half-precision numbers in the lower halves of the lanes.
Lanes halves(Bits numbers) {
    return (Lanes)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)numbers));
}

#else

Bits load(const char * row, size_t stride) {
    const auto at = [&](int i) {
        const char * from = row + static_cast<size_t>(i) * stride;
        return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
    };
    return (Bits)_mm256_inserti128_si256(_mm256_castsi128_si256(at(0)), at(4), 1);
}

template <bool high>
Bits interleave_32(Bits a, Bits b) {
    return high ? (Bits)_mm256_unpackhi_epi32((__m256i)a, (__m256i)b)
                : (Bits)_mm256_unpacklo_epi32((__m256i)a, (__m256i)b);
}

template <bool high>
Bits interleave_64(Bits a, Bits b) {
    return high ? (Bits)_mm256_unpackhi_epi64((__m256i)a, (__m256i)b)
                : (Bits)_mm256_unpacklo_epi64((__m256i)a, (__m256i)b);
}

// Likewise. Sums of two products must fit 16 bits, so weights have at most 7.
Ints add_products(Ints sum, Bits weights, int32_t numbers) {
    const __m256i pairs = _mm256_maddubs_epi16((__m256i)weights, _mm256_set1_epi32(numbers));
    return sum + (Ints)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

Lanes halves(Bits numbers) {
    const __m256i low = _mm256_and_si256((__m256i)numbers, _mm256_set1_epi32(0xffff));
    const __m256i packed = _mm256_packus_epi32(low, low);  // within halves of 128 bits
    const __m256i joined = _mm256_permute4x64_epi64(packed, 0x08);
    return (Lanes)_mm256_cvtph_ps(_mm256_castsi256_si128(joined));
}

#endif

// Reads 16 bytes of each row: numbers[i] has the i-th four.
[[gnu::always_inline]] inline void read_16(const char * row, size_t stride, Bits * numbers) {
    const Bits a = load(row, stride);
    const Bits b = load(row + stride, stride);
    const Bits c = load(row + 2 * stride, stride);
    const Bits d = load(row + 3 * stride, stride);
    const Bits ab_low = interleave_32<false>(a, b), ab_high = interleave_32<true>(a, b);
    const Bits cd_low = interleave_32<false>(c, d), cd_high = interleave_32<true>(c, d);
    numbers[0] = interleave_64<false>(ab_low, cd_low);
    numbers[1] = interleave_64<true>(ab_low, cd_low);
    numbers[2] = interleave_64<false>(ab_high, cd_high);
    numbers[3] = interleave_64<true>(ab_high, cd_high);
}

[[gnu::always_inline]] inline void read_32(const char * row, size_t stride, Bits * numbers) {
    read_16(row, stride, numbers);
    read_16(row + 16, stride, numbers + 4);
}

int32_t four(const int8_t * numbers) {
    int32_t all;
    std::memcpy(&all, numbers, sizeof all);
    return all;
}

// The rows to be read after those at `row`.
const char * next_rows(const ProductJob & job, int64_t row) {
    const int64_t next = row + n_lanes < job.end_row ? row + n_lanes : job.next_row;
    return job.weights + static_cast<size_t>(next) * job.row_bytes;
}

// Asks for the i-th piece of the next rows, in the order of memory: the processor does not foresee
// as many streams. Always inlined, as GCC drops calls of a function that does nothing else.
template <size_t n_bytes>
[[gnu::always_inline]] inline void prefetch(const char * next, int64_t i) {
    next += static_cast<size_t>(i) * n_bytes;
    for (size_t byte = 0; byte < n_bytes; byte += 64) _mm_prefetch(next + byte, _MM_HINT_T1);
}

// Moves one bit of each byte to bit 4.
Bits moved_to_4(Bits bits, int from) { return from < 4 ? bits << (4 - from) : bits >> (from - 4); }

struct Sums {
    alignas(64) Lanes of[product_tile];

    void clear(int32_t n) {
        for (int32_t t = 0; t < n; ++t) of[t] = Lanes{};
    }
    void write(const ProductJob & job, int64_t row) const {
        for (int32_t t = 0; t < job.activations.n_tokens; ++t) {
            float * to = job.out + static_cast<size_t>(t) * job.out_stride + row;
            std::memcpy(to, &of[t], sizeof of[t]);
        }
    }
};

// --- Q4_K, Q5_K: 256 weights of 4 or 5 bits; each 32 have a scale and a least value of 6 bits ----

struct KScales {
    Lanes scale[8];
    Lanes least[8];
};

KScales read_k_scales(const char * row, size_t stride) {
    Bits head[4];  // two half-precision numbers, and 16 numbers of 6 bits
    read_16(row, stride, head);
    const Lanes d = halves(head[0] & 0xffff), least = halves(head[0] >> 16);
    const Bits low6 = in_each_byte(0x3f), low4 = in_each_byte(0x0f), upper2 = in_each_byte(0x30);
    const Bits scales[2] = {head[1] & low6, (head[3] & low4) | ((head[1] >> 2) & upper2)};
    const Bits leasts[2] = {head[2] & low6, ((head[3] >> 4) & low4) | ((head[2] >> 2) & upper2)};
    KScales all;
    for (int i = 0; i < 8; ++i) {
        const int shift = 8 * (i % 4);
        all.scale[i] = d * as_floats((Ints)((scales[i / 4] >> shift) & 0xff));
        all.least[i] = least * as_floats((Ints)((leasts[i / 4] >> shift) & 0xff));
    }
    return all;
}

template <bool has_fifth_bits>
void multiply_k(const ProductJob & job) {
    constexpr size_t n_head = 16, n_fifth = has_fifth_bits ? 32 : 0,
                     n_block = n_head + n_fifth + 128;
    const TileOfActivations & a = job.activations;
    const int32_t n = a.n_tokens;
    const size_t stride = job.row_bytes;
    Sums sums;
    for (int64_t row = job.first_row; row < job.end_row; row += n_lanes) {
        const char * block = job.weights + static_cast<size_t>(row) * stride;
        const char * next = next_rows(job, row);
        sums.clear(n);
        for (int64_t b = 0; b < job.n_columns / 256; ++b, block += n_block) {
            const KScales scales = read_k_scales(block, stride);
            Bits fifth[8] = {};
            if (has_fifth_bits) read_32(block + n_head, stride, fifth);
            const float * scale_of = a.scales + b * n;
#pragma GCC unroll 4
            for (int part = 0; part < 4; ++part) {
                prefetch<n_lanes * n_block / 4>(next, 4 * b + part);
                Bits w[16];
                read_32(block + n_head + n_fifth + 32 * part, stride, w);
                for (int i = 0; i < 8; ++i) {
                    w[8 + i] = (w[i] >> 4) & in_each_byte(0x0f);
                    w[i] &= in_each_byte(0x0f);
                    if (!has_fifth_bits) continue;
                    w[i] |= moved_to_4(fifth[i], 2 * part) & in_each_byte(0x10);
                    w[8 + i] |= moved_to_4(fifth[i], 2 * part + 1) & in_each_byte(0x10);
                }
                const int64_t group = 8 * b + 2 * part;
                const int8_t * y0 = a.numbers + group * n * 32;
                const int8_t * y1 = y0 + n * 32;
                const float * sum0 = a.sums + group * n;
                const float * sum1 = sum0 + n;
                const Lanes scale0 = scales.scale[2 * part], scale1 = scales.scale[2 * part + 1];
                const Lanes least0 = scales.least[2 * part], least1 = scales.least[2 * part + 1];
                for (int32_t t = 0; t < n; ++t, y0 += 32, y1 += 32) {
                    Ints p0 = {}, p1 = {};
#pragma GCC unroll 8
                    for (int i = 0; i < 8; ++i) {
                        p0 = add_products(p0, w[i], four(y0 + 4 * i));
                        p1 = add_products(p1, w[8 + i], four(y1 + 4 * i));
                    }
                    const Lanes products = scale0 * as_floats(p0) + scale1 * as_floats(p1);
                    sums.of[t] += products * scale_of[t] - least0 * sum0[t] - least1 * sum1[t];
                }
            }
        }
        sums.write(job, row);
    }
}

// --- Q6_K: 256 weights of 6 bits less 32; each 16 have a scale of 8 bits ------------------------

void multiply_q6_k(const ProductJob & job) {
    constexpr size_t at_upper = 128, at_scales = 192, n_block = 210;
    const TileOfActivations & a = job.activations;
    const int32_t n = a.n_tokens;
    const size_t stride = job.row_bytes;
    Sums sums;
    for (int64_t row = job.first_row; row < job.end_row; row += n_lanes) {
        const char * block = job.weights + static_cast<size_t>(row) * stride;
        const char * next = next_rows(job, row);
        sums.clear(n);
        for (int64_t b = 0; b < job.n_columns / 256; ++b, block += n_block) {
            Bits scale_bits[4], tail[4];
            read_16(block + at_scales, stride, scale_bits);
            read_16(block + n_block - 16, stride, tail);
            const Lanes d = halves(tail[3] >> 16);
            const auto scale = [&](int i) {
                return d * as_floats((Ints)(scale_bits[i / 4] << (24 - 8 * (i % 4))) >> 24);
            };
            const float * scale_of = a.scales + b * n;
#pragma GCC unroll 4
            for (int part = 0; part < 4; ++part) {  // two groups of 32 weights, 64 apart
                prefetch<n_lanes * n_block / 4>(next, 4 * b + part);
                const int half = part / 2, shift = 2 * (part % 2);
                Bits upper[8], w[16];
                read_32(block + at_upper + 32 * half, stride, upper);
                read_32(block + 32 * part, stride, w);
                for (int i = 0; i < 8; ++i) {
                    const Bits two = in_each_byte(0x30);
                    w[8 + i] = ((w[i] >> 4) & in_each_byte(0x0f)) | ((upper[i] >> shift) & two);
                    w[i] = (w[i] & in_each_byte(0x0f)) | ((upper[i] << (4 - shift)) & two);
                }
                const int first = 4 * half + part % 2, second = first + 2;  // groups
                const int8_t * y0 = a.numbers + (8 * b + first) * n * 32;
                const int8_t * y1 = a.numbers + (8 * b + second) * n * 32;
                const int32_t * offset0 = a.offsets + (16 * b + 2 * first) * n;
                const int32_t * offset1 = a.offsets + (16 * b + 2 * second) * n;
                const Lanes s0 = scale(2 * first), s1 = scale(2 * first + 1);
                const Lanes s2 = scale(2 * second), s3 = scale(2 * second + 1);
                for (int32_t t = 0; t < n; ++t, y0 += 32, y1 += 32) {
                    Ints p0 = Ints{} + offset0[t], p1 = Ints{} + offset0[n + t];
                    Ints p2 = Ints{} + offset1[t], p3 = Ints{} + offset1[n + t];
#pragma GCC unroll 4
                    for (int i = 0; i < 4; ++i) {
                        p0 = add_products(p0, w[i], four(y0 + 4 * i));
                        p1 = add_products(p1, w[4 + i], four(y0 + 16 + 4 * i));
                        p2 = add_products(p2, w[8 + i], four(y1 + 4 * i));
                        p3 = add_products(p3, w[12 + i], four(y1 + 16 + 4 * i));
                    }
                    const Lanes products = s0 * as_floats(p0) + s1 * as_floats(p1) +
                                           s2 * as_floats(p2) + s3 * as_floats(p3);
                    sums.of[t] += products * scale_of[t];
                }
            }
        }
        sums.write(job, row);
    }
}

// --- Q4_0, Q5_0, Q8_0: 32 weights with a scale, less 8, 16 or 128 -------------------------------

template <WeightType type>
void multiply_simple(const ProductJob & job) {
    constexpr size_t n_head = type == WeightType::q5_0 ? 6 : 2;
    constexpr size_t n_block = n_head + (type == WeightType::q8_0 ? 32 : 16);
    constexpr int offset_shift = type == WeightType::q4_0 ? 0 : type == WeightType::q5_0 ? 1 : 4;
    const TileOfActivations & a = job.activations;
    const int32_t n = a.n_tokens;
    const size_t stride = job.row_bytes;
    Sums sums;
    for (int64_t row = job.first_row; row < job.end_row; row += n_lanes) {
        const char * block = job.weights + static_cast<size_t>(row) * stride;
        const char * next = next_rows(job, row);
        sums.clear(n);
        for (int64_t b = 0; b < job.n_columns / 32; ++b, block += n_block) {
            prefetch<n_lanes * n_block>(next, b);
            Bits w[8], head[4];
            read_16(block, stride, head);
            const Lanes d = halves(head[0] & 0xffff);
            if (type == WeightType::q8_0) {
                read_32(block + n_head, stride, w);
                for (Bits & four_weights : w) four_weights ^= in_each_byte(0x80);
            } else {
                read_16(block + n_head, stride, w);
                for (int i = 0; i < 4; ++i) {
                    w[4 + i] = (w[i] >> 4) & in_each_byte(0x0f);
                    w[i] &= in_each_byte(0x0f);
                }
            }
            if (type == WeightType::q5_0) {
                const Bits fifth = (head[0] >> 16) | (head[1] << 16);  // bit i: of weight i
                for (int i = 0; i < 8; ++i) {
                    const Bits bits = fifth >> (4 * i);
                    w[i] |= ((bits & 1) << 4) | ((bits & 2) << 11) | ((bits & 4) << 18) |
                            ((bits & 8) << 25);
                }
            }
            const int8_t * y = a.numbers + b * n * 32;
            const int32_t * offset = a.offsets + b * n;
            const float * scale_of = a.scales + b * n;
            for (int32_t t = 0; t < n; ++t, y += 32) {
                Ints p0 = Ints{} + (offset[t] << offset_shift), p1 = {};
#pragma GCC unroll 4
                for (int i = 0; i < 4; ++i) {
                    p0 = add_products(p0, w[i], four(y + 4 * i));
                    p1 = add_products(p1, w[4 + i], four(y + 16 + 4 * i));
                }
                sums.of[t] += d * scale_of[t] * as_floats(p0 + p1);
            }
        }
        sums.write(job, row);
    }
}

void multiply(const ProductJob & job) {
    switch (job.type) {
        case WeightType::q4_0:
            return multiply_simple<WeightType::q4_0>(job);
        case WeightType::q5_0:
            return multiply_simple<WeightType::q5_0>(job);
        case WeightType::q8_0:
            return multiply_simple<WeightType::q8_0>(job);
        case WeightType::q4_k:
            return multiply_k<false>(job);
        case WeightType::q5_k:
            return multiply_k<true>(job);
        case WeightType::q6_k:
            return multiply_q6_k(job);
    }
}

bool knows([[maybe_unused]] WeightType type) {
#if defined(__AVX512VNNI__)
    return true;
#else
    return type != WeightType::q8_0;
#endif
}

float largest(Lanes numbers) {
    float most = numbers[0];
    for (int i = 1; i < n_lanes; ++i) most = numbers[i] > most ? numbers[i] : most;
    return most;
}

Lanes read(const float * from) {
    Lanes numbers;
    std::memcpy(&numbers, from, sizeof numbers);
    return numbers;
}

// Rounds numbers between -127 and 127 to the nearest ones; returns their sum.
int32_t round_16(const float * from, float factor, int8_t * to) {
    constexpr float one_and_a_half = 12582912.0f;  // times 2^23: the sum has no fraction
    using Bytes = int8_t __attribute__((vector_size(n_lanes)));
    Ints sums = {};
    for (int i = 0; i < 16; i += n_lanes) {
        const Ints bits = (Ints)(read(from + i) * factor + one_and_a_half);
        const Ints numbers = (bits & 0x7fffff) - 0x400000;
        const Bytes bytes = __builtin_convertvector(numbers, Bytes);
        std::memcpy(to + i, &bytes, sizeof bytes);
        sums += numbers;
    }
    int32_t sum = 0;
    for (int i = 0; i < n_lanes; ++i) sum += sums[i];
    return sum;
}

// Quantises as ggml does, so that products differ from its own by little more than rounding.
void quantise(const float * activations, int64_t n_columns, bool for_k_type, int32_t t,
              const TileOfActivations & tile) {
    const int64_t n = tile.n_tokens;
    const int32_t n_block = for_k_type ? 256 : 32;
    for (int64_t b = 0; b < n_columns / n_block; ++b) {
        const float * x = activations + b * n_block;
        Lanes highest = {}, lowest = {};
        for (int32_t i = 0; i < n_block; i += n_lanes) {
            const Lanes numbers = read(x + i);
            highest = numbers > highest ? numbers : highest;
            lowest = numbers < lowest ? numbers : lowest;
        }
        const float above = largest(highest), below = largest(-lowest);
        const float most = above > below ? above : below;
        // Of K types, the number furthest from 0 becomes -127.
        const float limit = for_k_type && above > below ? -127.0f : 127.0f;
        const float scale = most / limit;
        const float inverse = most > 0.0f ? limit / most : 0.0f;
        // ggml keeps the scales of K types in single precision, the others in half precision.
        tile.scales[b * n + t] = for_k_type ? scale : _cvtsh_ss(_cvtss_sh(scale, 0));
        for (int32_t i = 0; i < n_block; i += 32) {
            const int64_t group = (b * n_block + i) / 32;
            int8_t * to = tile.numbers + (group * n + t) * 32;
            const int32_t first = round_16(x + i, inverse, to);
            const int32_t second = round_16(x + i + 16, inverse, to + 16);
            if (for_k_type) {
                tile.offsets[2 * group * n + t] = -32 * first;
                tile.offsets[(2 * group + 1) * n + t] = -32 * second;
                tile.sums[group * n + t] = scale * static_cast<float>(first + second);
            } else {
                tile.offsets[group * n + t] = -8 * (first + second);
            }
        }
    }
}

}  // namespace

ProductKernel HPD_KERNEL() { return {HPD_ISA, n_lanes, knows, quantise, multiply}; }

}  // namespace hpd
