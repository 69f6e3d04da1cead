// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/utf8.h"

#include <cstdint>
#include <cstring>

namespace coxswain::text {

// Unicode standard, table 3-7: what may follow the first byte is narrower after E0, ED, F0 and F4.
int measureCharacter(std::string_view bytes) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned first = at(0);
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return -1;
    const int length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    for (int i = 1; i < length; ++i) {
        const auto index = static_cast<std::size_t>(i);
        if (index >= bytes.size() || at(index) < low || at(index) > high)
            return -i;
        low = 0x80;
        high = 0xBF;
    }
    return length;
}

std::size_t firstIllFormed(std::string_view bytes) {
    std::size_t i = 0;
    while (i < bytes.size()) {
        std::uint64_t eight = 0;
        while (i + sizeof eight <= bytes.size()) {
            std::memcpy(&eight, bytes.data() + i, sizeof eight);
            if (eight & 0x8080808080808080ULL)
                break;
            i += sizeof eight;
        }
        if (i == bytes.size())
            break;
        const int length = measureCharacter(bytes.substr(i, 4));
        if (length < 0)
            return i;
        i += static_cast<std::size_t>(length);
    }
    return std::string_view::npos;
}

void appendUtf8(std::string& text, char32_t point) {
    const auto put = [&](char32_t bits) { text.push_back(static_cast<char>(bits)); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xC0 | point >> 6);
        put(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        put(0xE0 | point >> 12);
        put(0x80 | (point >> 6 & 0x3F));
        put(0x80 | (point & 0x3F));
    } else {
        put(0xF0 | point >> 18);
        put(0x80 | (point >> 12 & 0x3F));
        put(0x80 | (point >> 6 & 0x3F));
        put(0x80 | (point & 0x3F));
    }
}

void appendLossy(std::string& text, std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t bad = firstIllFormed(bytes);
        text.append(bytes.substr(0, bad));
        if (bad == std::string_view::npos)
            return;
        bytes.remove_prefix(bad);
        text.append("\xEF\xBF\xBD");
        bytes.remove_prefix(static_cast<std::size_t>(-measureCharacter(bytes)));
    }
}

} // namespace coxswain::text
