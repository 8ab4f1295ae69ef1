#include "model/characters.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace hpd {

namespace {

// Returns the number of bytes in a UTF-8 character that begins with this byte.
size_t n_bytes(char first) {
    const auto byte = static_cast<uint8_t>(first);
    if (byte >= 0xf0) return 4;
    if (byte >= 0xe0) return 3;
    return byte >= 0xc0 ? 2 : 1;
}

uint32_t code_point(std::string_view character) {
    const auto first = static_cast<uint8_t>(character[0]);
    if (character.size() == 1) return first;
    uint32_t code = first & (0xffu >> (character.size() + 1));
    for (const char c : character.substr(1)) code = code << 6 | (static_cast<uint8_t>(c) & 0x3fu);
    return code;
}

// Whether GPT-2's table shows a byte as its Latin-1 character; the others are numbered from U+0100.
bool is_printable(int byte) {
    return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

}  // namespace

std::vector<std::string_view> characters(std::string_view text) {
    std::vector<std::string_view> all;
    while (!text.empty()) {
        const size_t n = std::min(n_bytes(text[0]), text.size());
        all.push_back(text.substr(0, n));
        text.remove_prefix(n);
    }
    return all;
}

std::string shown(std::string_view character) {
    const uint32_t code = code_point(character);
    std::array<char, 16> name{};
    std::snprintf(name.data(), name.size(), "U+%04X", static_cast<unsigned>(code));
    const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    if (is_control) return name.data();
    return "'" + std::string(character) + "' (" + name.data() + ")";
}

std::string sentencepiece_byte(uint8_t byte) {
    std::array<char, 8> name{};
    std::snprintf(name.data(), name.size(), "<0x%02X>", static_cast<unsigned>(byte));
    return name.data();
}

std::string bpe_byte(uint8_t byte) {
    uint32_t code = byte;
    if (!is_printable(byte)) {
        code = 0x100;
        for (int other = 0; other < byte; ++other) code += !is_printable(other);
    }
    if (code < 0x80) return {static_cast<char>(code)};
    return {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
}

}  // namespace hpd
