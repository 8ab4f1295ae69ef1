#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpd {

using Token = int32_t;
using SeqId = int32_t;

constexpr SeqId no_seq = -1;

// Returns the length of the common beginning of two texts, at most n_max tokens.
inline int32_t n_common(const std::vector<Token> & a, const std::vector<Token> & b, int32_t n_max) {
    const size_t n = std::min({a.size(), b.size(), static_cast<size_t>(n_max)});
    const auto end = a.begin() + static_cast<std::ptrdiff_t>(n);
    return static_cast<int32_t>(std::mismatch(a.begin(), end, b.begin()).first - a.begin());
}

// FNV-1a hashes, which identify what is asked: of one more number, and of all tokens of a text.
constexpr uint64_t hash_start = 0xcbf29ce484222325ULL;

constexpr uint64_t hash_step(uint64_t hash, uint64_t x) { return (hash ^ x) * 0x100000001b3ULL; }

inline uint64_t hash_tokens(const std::vector<Token> & tokens, uint64_t hash = hash_start) {
    for (Token t : tokens) hash = hash_step(hash, static_cast<uint64_t>(t));
    return hash;
}

}  // namespace hpd
