// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/pretokenizer.h"

#include <gtest/gtest.h>

namespace coxswain::text {
namespace {

using nlohmann::json;

/// The pieces of `text`, with | between them.
std::string pieces(const json& content, std::string_view text) {
    const std::string file = "tokenizer.json";
    const PreTokenizer preTokenizer{JsonField(content, file)};
    SplitMemory memory;
    std::vector<Piece> all{{text, true}};
    preTokenizer.apply(all, false, memory);
    std::string result;
    for (const auto& piece : all)
        result.append(result.empty() ? "" : "|").append(piece.text);
    return result;
}

json split(const char* pattern, const char* behavior, bool invert = false) {
    return {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", behavior}, {"invert", invert}};
}

json metaspace(const char* scheme, bool splits) {
    return {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", scheme}, {"split", splits}};
}

json byteLevel(bool prefix, bool regex) {
    return {
        {"type", "ByteLevel"}, {"add_prefix_space", prefix}, {"trim_offsets", true}, {"use_regex", regex}};
}

TEST(PreTokenizer, textsAreCut) {
    const struct {
        json content;
        std::string_view text, result;
    } cases[] = {
        {split("-", "Isolated"), "a--b-", "a|-|-|b|-"},
        {split("-", "Removed"), "a--b-", "a|b"},
        {split("-", "MergedWithPrevious"), "a--b-", "a-|-|b-"},
        {split("-", "MergedWithNext"), "-a--b-", "-a|-|-b|-"},
        {split("-", "Contiguous"), "a--b-", "a|--|b|-"},
        {split("[a-z]", "Removed", true), "a--b-", "a|b"},
        {split("[a-z]+", "MergedWithPrevious", true), "ab--b-", "ab--|b-"},
        {split("x*", "Isolated"), "axxb", "a|xx|b"},
        {split("-", "Isolated"), "", ""},
        {{{"type", "Split"}, {"pattern", {{"String", "."}}}, {"behavior", "Isolated"}, {"invert", false}},
         "a.b",
         "a|.|b"},
        {{{"type", "Digits"}, {"individual_digits", true}}, "a12½b", "a|1|2|½|b"},
        {{{"type", "Digits"}, {"individual_digits", false}}, "a12½b", "a|12½|b"},
        {metaspace("always", true), "a  b c", "▁a|▁|▁b|▁c"},
        {metaspace("never", true), "a b", "a|▁b"},
        {metaspace("first", false), " a b", "▁a▁b"},
        {{{"type", "Whitespace"}}, "it's 1 x.", "it|'|s|1|x|."},
        {{{"type", "WhitespaceSplit"}}, " it's\t1\u3000x. ", "it's|1|x."},
        {byteLevel(false, true), "Don't  do 12½", "Don|'t| | do| 12½"},
        {byteLevel(true, false), "a b", " a b"},
        {{{"type", "Sequence"}, {"pretokenizers", {split(" ", "Removed"), metaspace("first", true)}}},
         "a b",
         "▁a|b"},
        {{{"type", "Sequence"}, {"pretokenizers", {split("\\d", "Isolated"), byteLevel(true, true)}}},
         "a1 b",
         " a| 1| b"}};
    for (const auto& one : cases)
        EXPECT_EQ(pieces(one.content, one.text), one.result) << one.content;
}

} // namespace
} // namespace coxswain::text
