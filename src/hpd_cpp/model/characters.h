#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpd {

// The characters of a UTF-8 text, in order; bytes that belong to none stand alone.
std::vector<std::string_view> characters(std::string_view text);

// A character as messages show it: 'x' (U+0078), or U+000A where it cannot be seen.
std::string shown(std::string_view character);

// The tokens of single bytes, as SentencePiece names them (<0x0A>) and byte-level BPE does: a
// printable character for each (GPT-2's table).
std::string sentencepiece_byte(uint8_t byte);
std::string bpe_byte(uint8_t byte);

}  // namespace hpd
