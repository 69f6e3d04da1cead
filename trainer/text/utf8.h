// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coxswain::text {

/// The code point at `at`, which is moved behind it. The text must be well-formed.
inline char32_t nextCodePoint(const char*& at) {
    const auto byte = [&](int i) { return static_cast<unsigned char>(at[i]); };
    const unsigned first = byte(0);
    char32_t point;
    if (first < 0x80) {
        point = first;
        at += 1;
    } else if (first < 0xE0) {
        point = (first & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
        at += 2;
    } else if (first < 0xF0) {
        point = (first & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
        at += 3;
    } else {
        point = (first & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
        at += 4;
    }
    return point;
}

/// Bytes of the character that begins with `first`, in well-formed text.
inline std::size_t characterLength(char first) {
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// Where the last character of `text` begins. The text must be well-formed and not empty.
inline std::size_t lastCharacter(std::string_view text) {
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
        --at;
    return at;
}

/// The length in bytes of the well-formed character at the start of `bytes`; or, negated, of the longest
/// piece there that could have begun one (at least 1): the "maximal subpart" of the Unicode standard,
/// section 3.9. `bytes` must not be empty.
int measureCharacter(std::string_view bytes);

/// The first byte that does not belong to a well-formed character; npos when there is none.
std::size_t firstIllFormed(std::string_view bytes);

void appendUtf8(std::string& text, char32_t point);

/// Appends `bytes`, with U+FFFD for every maximal subpart that is ill-formed.
void appendLossy(std::string& text, std::string_view bytes);

} // namespace coxswain::text
