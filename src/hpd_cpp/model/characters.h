#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpd {

// Returns the characters of a UTF-8 text, in order. A byte that belongs to no character counts as
// one.
std::vector<std::string_view> characters(std::string_view text);

// Returns a character as messages show it: 'x' (U+0078), or only U+000A for a control character.
std::string shown(std::string_view character);

// Return the text of a single byte's token: like <0x0A> in SentencePiece, and a printable character
// (from GPT-2's table) in byte-level BPE.
std::string sentencepiece_byte(uint8_t byte);
std::string bpe_byte(uint8_t byte);

}  // namespace hpd
