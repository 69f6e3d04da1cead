// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/addedtokens.h"

#include <gtest/gtest.h>

namespace coxswain::text {
namespace {

/// The stretches of `text`, tokens in brackets.
std::string found(const std::vector<AddedToken>& tokens, std::string_view text) {
    AddedTokenFinder finder;
    for (const auto& token : tokens)
        EXPECT_TRUE(finder.add(token, token.content));
    std::vector<AddedTokenFinder::Stretch> stretches;
    finder.find(text, stretches);
    std::string result;
    for (const auto& [begin, end, id] : stretches) {
        const auto part = text.substr(begin, end - begin);
        result += id < 0 ? std::string(part) : '[' + std::to_string(id) + ':' + std::string(part) + ']';
    }
    return result;
}

AddedToken token(std::int32_t id, const char* content) {
    return {id, content};
}

AddedToken word(std::int32_t id, const char* content) {
    AddedToken made = token(id, content);
    made.singleWord = true;
    return made;
}

AddedToken stripping(std::int32_t id, const char* content, bool left, bool right) {
    AddedToken made = token(id, content);
    made.lstrip = left;
    made.rstrip = right;
    return made;
}

TEST(AddedTokens, areFoundLeftmostThenLongest) {
    const std::vector<AddedToken> tokens{token(1, "<s>"), token(2, "<s>>"), token(3, "s>>>"), token(4, "é")};
    EXPECT_EQ(found(tokens, "a<s>b"), "a[1:<s>]b");
    EXPECT_EQ(found(tokens, "<s>>>"), "[2:<s>>]>");
    EXPECT_EQ(found(tokens, "s>>><"), "[3:s>>>]<");
    EXPECT_EQ(found(tokens, "<<s"), "<<s");
    EXPECT_EQ(found(tokens, "caféè"), "caf[4:é]è");
    EXPECT_EQ(found(tokens, ""), "");
    EXPECT_EQ(found({}, "<s>"), "<s>");
}

TEST(AddedTokens, singleWordsStandAlone) {
    const std::vector<AddedToken> tokens{word(1, "fish"), token(2, "ish")};
    EXPECT_EQ(found(tokens, "fish, fishes fish"), "[1:fish], fishes [1:fish]");
    EXPECT_EQ(found(tokens, "éfish"), "éfish") << "what it covers is passed over, so ish is not found in it";
    EXPECT_EQ(found(tokens, "wish"), "w[2:ish]");
}

TEST(AddedTokens, takeWhiteSpaceAlong) {
    EXPECT_EQ(found({stripping(1, "<m>", true, false)}, "a \u3000<m> b"), "a[1: \u3000<m>] b");
    EXPECT_EQ(found({stripping(1, "<m>", false, true)}, "a <m> \nb"), "a [1:<m> \n]b");
    EXPECT_EQ(found({stripping(1, "<m>", true, true)}, " <m>  <m> "), "[1: <m>  ][1:<m> ]")
        << "each space once";
    EXPECT_EQ(found({stripping(1, "<m>", false, true), token(2, "\n")}, "<m>\nb"), "[1:<m>\n][2:\n]b")
        << "as Hugging Face's: both count";
}

TEST(AddedTokens, thatAreTheSameAreNotTakenTwice) {
    AddedTokenFinder finder;
    EXPECT_TRUE(finder.add(token(1, "x"), "x"));
    EXPECT_FALSE(finder.add(token(2, "X"), "x"));
}

} // namespace
} // namespace coxswain::text
