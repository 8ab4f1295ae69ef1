#pragma once

#include <cstdint>
#include <vector>

namespace hpd {

using Token = int32_t;
using SeqId = int32_t;

constexpr SeqId no_seq = -1;

// FNV-1a, to name values by what is asked: one more number, and all tokens of a text.
constexpr uint64_t hash_start = 0xcbf29ce484222325ULL;

constexpr uint64_t hash_step(uint64_t hash, uint64_t x) { return (hash ^ x) * 0x100000001b3ULL; }

inline uint64_t hash_tokens(const std::vector<Token> & tokens, uint64_t hash = hash_start) {
    for (Token t : tokens) hash = hash_step(hash, static_cast<uint64_t>(t));
    return hash;
}

}  // namespace hpd
