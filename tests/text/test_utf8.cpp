// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/unicode.h"
#include "trainer/text/utf8.h"

#include <gtest/gtest.h>

namespace coxswain::text {
namespace {

std::string lossy(std::string_view bytes) {
    std::string text;
    appendLossy(text, bytes);
    return text;
}

TEST(Utf8, everyCodePointComesBack) {
    for (char32_t point = 0; point < 0x110000; point += point < 0x3000 ? 1 : 97) {
        if (point >= 0xD800 && point < 0xE000)
            continue;
        std::string text;
        appendUtf8(text, point);
        const char* at = text.data();
        ASSERT_EQ(nextCodePoint(at), point);
        ASSERT_EQ(at, text.data() + text.size());
        ASSERT_EQ(characterLength(text[0]), text.size());
        ASSERT_EQ(measureCharacter(text), static_cast<int>(text.size()));
        ASSERT_EQ(lastCharacter("x" + text), 1u);
    }
}

// The examples of the Unicode standard, tables 3-8 to 3-11: one U+FFFD for each maximal subpart.
TEST(Utf8, illFormedBytesAreFoundAndReplaced) {
    const struct {
        std::string_view bytes;
        std::size_t bad;
        std::string_view text;
    } cases[] = {
        {"plain, and longer than eight bytes", std::string_view::npos, "plain, and longer than eight bytes"},
        {"\xC0\xAF", 0, "��"},
        {"\xE0\x80\xBF", 0, "���"},
        {"abcdefghi\xF0\x81\x82\x41", 9, "abcdefghi���A"},
        {"\xED\xA0\x80\xED\xBF\xBF", 0, "������"},
        {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", 0, "�����A��B"},
        {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 0, "����A"},
        {"é\xC3", 2, "é�"},
        {"", std::string_view::npos, ""}};
    for (const auto& one : cases) {
        EXPECT_EQ(firstIllFormed(one.bytes), one.bad) << testing::PrintToString(one.bytes);
        EXPECT_EQ(lossy(one.bytes), one.text) << testing::PrintToString(one.bytes);
    }
}

TEST(Unicode, classesAreThoseOfUnicode16) {
    EXPECT_TRUE(isNumeric('7') && isNumeric(0xBD) && isNumeric(0x2167) && isNumeric(0x10D40));
    EXPECT_FALSE(isNumeric('x') || isNumeric(0x4E00) || isNumeric(0x3250));
    EXPECT_TRUE(isWhitespace('\v') && isWhitespace(0x3000) && isWhitespace(0x85));
    EXPECT_FALSE(isWhitespace(0x180E) || isWhitespace(0x200B) || isWhitespace(0xFEFF));
    EXPECT_TRUE(isWord('_') && isWord(0x301) && isWord(0x24B6) && isWord(0x31350) && isWord(0x200D));
    EXPECT_FALSE(isWord('-') || isWord(0xB2) || isWord(0x1FADF));
    EXPECT_TRUE(isRecent(0x180E) && isRecent(0x31350) && isRecent(0x897));
    EXPECT_FALSE(isRecent('a') || isRecent(0x4E00) || isRecent(0x180D) || isRecent(0x10FFFF));
}

} // namespace
} // namespace coxswain::text
