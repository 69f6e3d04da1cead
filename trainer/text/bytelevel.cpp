// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/bytelevel.h"

#include "trainer/text/utf8.h"

#include <array>
#include <cstdint>

namespace coxswain::text {
namespace {

constexpr bool standsForItself(int byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Tables {
    std::array<char32_t, 256> characters{};
    std::array<std::int16_t, 0x144> bytes{};
};

constexpr Tables tables = [] {
    Tables made;
    made.bytes.fill(-1);
    char32_t other = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
        const char32_t character = standsForItself(byte) ? static_cast<char32_t>(byte) : other++;
        made.characters[static_cast<std::size_t>(byte)] = character;
        made.bytes[character] = static_cast<std::int16_t>(byte);
    }
    return made;
}();

} // namespace

char32_t byteLevelCharacter(unsigned char byte) {
    return tables.characters[byte];
}

int byteLevelByte(char32_t point) {
    return point < tables.bytes.size() ? tables.bytes[point] : -1;
}

std::optional<std::string> byteLevelBytes(std::string_view token) {
    std::string bytes;
    for (const char* at = token.data(); at < token.data() + token.size();) {
        const int byte = byteLevelByte(nextCodePoint(at));
        if (byte < 0)
            return std::nullopt;
        bytes.push_back(static_cast<char>(byte));
    }
    return bytes;
}

std::string byteLevelText(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes)
        appendUtf8(text, byteLevelCharacter(static_cast<unsigned char>(byte)));
    return text;
}

} // namespace coxswain::text
