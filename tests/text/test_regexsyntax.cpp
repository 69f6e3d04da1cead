// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/regex.h"
#include "trainer/text/regexsyntax.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace coxswain::text {
namespace {

/// The matches of `pattern` in `text`, each in brackets.
std::string marked(std::string_view pattern, std::string_view text, bool recent) {
    MatchMemory memory;
    std::string result;
    std::size_t done = 0;
    Regex::fromPattern(pattern).findAll(memory, text, recent, [&](std::size_t begin, std::size_t end) {
        result.append(text, done, begin - done).append("[").append(text, begin, end - begin).append("]");
        done = end;
    });
    return result.append(text.substr(done));
}

TEST(RegexSyntax, patternsMatchAsInOniguruma) {
    const struct {
        std::string_view pattern, text, result;
    } cases[] = {{R"(\s+)", "a \n\u00A0b\u3000c", "a[ \n\u00A0]b[\u3000]c"},
                 {R"(\w+)", "a\u0301_1\u00B2-\u24B6\u200C", "[a\u0301_1\u00B2]-[\u24B6]\u200C"},
                 {R"([\w]+)", "a\u00B2b", "[a]\u00B2[b]"},
                 {R"(\d+|\v)", "1\u0663\u00BD\v\n", "[1\u0663]\u00BD[\v]\n"},
                 {R"([^\S\n]+)", "a \t\nb", "a[ \t]\nb"},
                 {R"([\P{L}a]+)", "ab1.a", "[a]b[1.a]"},
                 {R"([^\P{L}a]+)", "ab1.cda", "a[b]1.[cd]a"},
                 {R"(\p{^L}|\P{^N})", "a1.", "a[1][.]"},
                 {R"((?i:'s|'re))", "'S'\u017F'Re'x", "['S]['\u017F]['Re]'x"},
                 {R"((?i)a|b)", "AB", "[A][B]"},
                 {R"(^a|b$|.)", "a\nab\nb", "[a]\n[a][b]\n[b]"},
                 {R"(x*)", "axb", "[]a[x]b[]"},
                 {R"(\u0041\x{42}\x43)", "ABC", "[ABC]"},
                 {R"([\[\]\-a\\]+)", "[a-\\]b", "[[a-\\]]b"},
                 {R"(\p{Han}+)", "漢字かな、", "[漢字]かな、"},
                 {R"(\s+(?!\S)|\s+)", "a   b  ", "a[  ][ ]b[  ]"}};
    for (const auto& one : cases)
        for (const bool recent : {false, true})
            EXPECT_EQ(marked(one.pattern, one.text, recent), one.result) << one.pattern << ' ' << recent;
}

TEST(RegexSyntax, recentCharactersAreClassifiedWhenTheTextHasThem) {
    EXPECT_EQ(marked(R"(\p{L}+)", "a\U00031350", true), "[a\U00031350]");
    EXPECT_EQ(marked(R"([^\s\p{L}\p{N}]+)", ".\u180E\U00010D40.", true), "[.\u180E]\U00010D40[.]");
    EXPECT_EQ(marked(R"([\P{N}]+)", "a\U00010D40b", true), "[a]\U00010D40[b]");
}

TEST(RegexSyntax, whatMeansSomethingElseIsRefused) {
    for (const std::string_view pattern :
         {"\\h",         "\\R",     "\\bx", "\\Z", "(?<name>x)", "(x)\\1", "a{,3}",    "a{2}+",   "a{",
          "[[:alpha:]]", "[a&&b]",  "[]a]", "[a",  "a(?i)b",     "(?m:.)", "\\p{Foo}", "\\p{Mn}", "\\pL",
          "\\xC3",       "\\x{zz}", "\\",   "[\\", "(?>",        "(",      "\\p{L"})
        EXPECT_THROW(Regex::fromPattern(pattern), std::invalid_argument) << pattern;
    EXPECT_THROW(Regex::fromLiteral(""), std::invalid_argument);
}

} // namespace
} // namespace coxswain::text
