// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/bpemodel.h"

#include "trainer/dist/errors.h"
#include "trainer/text/bytelevel.h"

#include <gtest/gtest.h>

#include <random>

namespace coxswain::text {
namespace {

using nlohmann::json;
using Ids = std::vector<std::int32_t>;

const std::string file = "tokenizer.json";

Ids encoded(const json& content, std::string_view word, bool byteLevel = false) {
    const BpeModel model(JsonField(content, file), byteLevel);
    BpeMemory memory;
    Ids ids, again;
    model.encode(word, memory, ids);
    model.encode(word, memory, again);
    EXPECT_EQ(ids, again) << "the cache gives the same";
    return ids;
}

json small() {
    return {
        {"type", "BPE"},
        {"vocab", {{"<unk>", 0}, {"a", 1}, {"b", 2}, {"c", 3}, {"ab", 4}, {"bc", 5}, {"abc", 6}, {"cab", 7}}},
        {"merges", json::parse(R"([["b", "c"], ["a", "b"], ["ab", "c"], ["c", "ab"]])")}};
}

TEST(BpeModel, lowestRankThenLeftmostMergesFirst) {
    EXPECT_EQ(encoded(small(), "abc"), (Ids{1, 5}));
    EXPECT_EQ(encoded(small(), "abab"), (Ids{4, 4}));
    EXPECT_EQ(encoded(small(), "cab"), (Ids{7}));
    json legacy = small();
    legacy["merges"] = {"#version: 0.2", "b c", "a b", "ab c", "c ab"};
    EXPECT_EQ(encoded(legacy, "cab"), (Ids{7}));
    json whole = small();
    whole["ignore_merges"] = true;
    EXPECT_EQ(encoded(whole, "abc"), (Ids{6}));
    EXPECT_EQ(encoded(whole, "abcb"), (Ids{1, 5, 2}));
}

TEST(BpeModel, unknownCharacters) {
    EXPECT_EQ(encoded(small(), "axyb"), (Ids{4})) << "dropped, and what was beside them meets";
    json unknown = small();
    unknown["unk_token"] = "<unk>";
    EXPECT_EQ(encoded(unknown, "axyb"), (Ids{1, 0, 0, 2}));
    unknown["fuse_unk"] = true;
    EXPECT_EQ(encoded(unknown, "axyb"), (Ids{1, 0, 2}));
    unknown["byte_fallback"] = true;
    EXPECT_EQ(encoded(unknown, "axb"), (Ids{1, 0, 2})) << "no byte has a token";
    unknown["vocab"]["<0xC3>"] = 8;
    unknown["vocab"]["<0xA9>"] = 9;
    EXPECT_EQ(encoded(unknown, "aéxéb"), (Ids{1, 8, 9, 8, 9, 0, 2})) << "as Hugging Face's: <unk> comes late";
    json absent = small();
    absent["unk_token"] = "<none>";
    EXPECT_EQ(encoded(absent, "ab"), (Ids{4}));
    EXPECT_THROW(encoded(absent, "ax"), trainer::TrainerError);
}

TEST(BpeModel, bytesThatHaveNoTokenAreVisibleCharacters) {
    const json content = {{"vocab", {{"Ġ", 0}, {"a", 1}, {"Ġa", 2}, {"Ã", 3}}},
                          {"merges", json::parse(R"([["Ġ", "a"]])")}};
    EXPECT_EQ(encoded(content, " a", true), (Ids{2}));
    EXPECT_EQ(encoded(content, " é a", true), (Ids{0, 3, 2}));
}

/// The definition, word for word: quadratic.
Ids naive(Ids ids, const MergeTable& merges) {
    while (true) {
        const MergeTable::Merge* best = nullptr;
        std::size_t at = 0;
        for (std::size_t i = 0; i + 1 < ids.size(); ++i)
            if (const auto* merge = merges.find(ids[i], ids[i + 1]);
                merge && (!best || merge->rank < best->rank)) {
                best = merge;
                at = i;
            }
        if (!best)
            return ids;
        ids[at] = best->id;
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
}

TEST(BpeModel, shortAndLongWordsMergeAsDefined) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        MergeTable merges(200);
        std::int32_t next = 3;
        for (std::uint32_t rank = 0; rank < 40; ++rank) {
            const auto one = static_cast<std::int32_t>(random()) % next,
                       other = static_cast<std::int32_t>(random()) % next;
            if (one >= 0 && other >= 0 && !merges.find(one, other))
                merges.put(one, other, {rank, next++});
        }
        Ids ids(1 + random() % 90);
        for (auto& id : ids)
            id = static_cast<std::int32_t>(random() % 3);
        Ids merged = ids;
        Merger().merge(merged, merges);
        ASSERT_EQ(merged, naive(ids, merges)) << round;
    }
}

TEST(BpeModel, cutsDoNotChangeTokens) {
    // "b" and "c" never merge, so texts are cut there; without <unk> they are not.
    json content = small();
    content["merges"] = json::parse(R"([["a", "b"], ["c", "ab"]])");
    json cutting = content;
    cutting["unk_token"] = "<unk>";
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::string word;
        for (std::size_t length = random() % 60; length > 0; --length)
            word += static_cast<char>('a' + random() % 3);
        ASSERT_EQ(encoded(content, word), encoded(cutting, word)) << word;
    }
}

TEST(WordCache, forgetsOnlyWhatItMust) {
    WordCache cache;
    const auto word = [](int i) { return "word" + std::to_string(i); };
    for (std::int32_t i = 0; i < 100'000; ++i) {
        const Ids ids{i, i + 1};
        cache.put(word(i), hashBytes(word(i)), ids);
        const auto known = cache.find(word(i), hashBytes(word(i)));
        ASSERT_EQ(Ids(known.begin(), known.end()), ids);
    }
    int kept = 0;
    for (std::int32_t i = 0; i < 100'000; ++i) {
        const auto known = cache.find(word(i), hashBytes(word(i)));
        kept += known.empty() ? 0 : 1;
        ASSERT_TRUE(known.empty() || known[0] == i);
    }
    EXPECT_GT(kept, 25'000);
    const std::string large(57, 'x');
    cache.put(large, hashBytes(large), Ids{1});
    EXPECT_TRUE(cache.find(large, hashBytes(large)).empty());
    EXPECT_TRUE(cache.find("", hashBytes("")).empty());
}

} // namespace
} // namespace coxswain::text
