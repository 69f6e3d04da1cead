// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/normalform.h"

#include <gtest/gtest.h>

namespace coxswain::text {
namespace {

std::string normalized(std::string_view text, bool compatible) {
    std::string result;
    appendNormalized(result, text, compatible);
    return result;
}

TEST(NormalForm, textsAreComposed) {
    const struct {
        std::string_view text, canonical, compatible;
    } cases[] = {{"", "", ""},
                 {"plain", "plain", "plain"},
                 {"cafe\u0301s", "caf\u00E9s", "caf\u00E9s"},
                 {"\u00E9\u0323x", "\u1EB9\u0301x", "\u1EB9\u0301x"},
                 {"a\u0301\u0323", "\u1EA1\u0301", "\u1EA1\u0301"},
                 {"\u1112\u1161\u11AB한", "한한", "한한"},
                 {"\uAC00\u11A8", "\uAC01", "\uAC01"},
                 {"\u212B\u2126", "\u00C5\u03A9", "\u00C5\u03A9"},
                 {"\u0958", "\u0915\u093C", "\u0915\u093C"},
                 {"\u09C7\u09BE", "\u09CB", "\u09CB"},
                 {"\uFB01\u00B2\uFF21", "\uFB01\u00B2\uFF21", "fi2A"},
                 {"\u304B\u3099", "\u304C", "\u304C"},
                 // What came after Unicode 9 stays: U+0898 is no mark, U+32FF does not decompose.
                 {"a\u0323\u0898\u0301", "\u1EA1\u0898\u0301", "\u1EA1\u0898\u0301"},
                 {"\u32FF", "\u32FF", "\u32FF"},
                 {"\U00011935\U00011930", "\U00011935\U00011930", "\U00011935\U00011930"}};
    for (const auto& one : cases) {
        EXPECT_EQ(normalized(one.text, false), one.canonical) << one.text;
        EXPECT_EQ(normalized(one.text, true), one.compatible) << one.text;
        if (one.text != one.canonical) {
            EXPECT_FALSE(isNormal(one.text, false)) << one.text;
        }
        if (one.text != one.compatible) {
            EXPECT_FALSE(isNormal(one.text, true)) << one.text;
        }
    }
    EXPECT_TRUE(isNormal("Ünïcode, 한국어, 日本語, Việt Nam, ไทย", false)) << "needs no second look";
}

} // namespace
} // namespace coxswain::text
