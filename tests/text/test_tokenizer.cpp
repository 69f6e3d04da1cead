// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/temporaryfolder.h"
#include "trainer/dist/errors.h"
#include "trainer/text/bytelevel.h"
#include "trainer/text/tokenizer.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace coxswain::text {
namespace {

using nlohmann::json;
using trainer::TrainerError;
using wire::ExitCode;
using Ids = std::vector<std::int32_t>;

json added(std::int32_t id, const char* content, bool special = true) {
    return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
            {"rstrip", false}, {"normalized", false}, {"special", special}};
}

json byteLevel() {
    return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
}

/// Bytes are their own ids; "he" 256, "<s>" 257, "<tool>" 258.
json small() {
    json vocab;
    for (int byte = 0; byte < 256; ++byte)
        vocab[byteLevelText(std::string(1, static_cast<char>(byte)))] = byte;
    vocab["he"] = 256;
    const json item = {{"id", "<s>"}, {"type_id", 0}};
    return {{"version", "1.0"},
            {"truncation", nullptr},
            {"padding", nullptr},
            {"added_tokens", {added(257, "<s>"), added(258, "<tool>", false)}},
            {"normalizer", {{"type", "NFC"}}},
            {"pre_tokenizer", byteLevel()},
            {"post_processor",
             {{"type", "TemplateProcessing"},
              {"single", {{{"SpecialToken", item}}, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
              {"pair", json::array()},
              {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {257}}, {"tokens", {"<s>"}}}}}}}},
            {"decoder", byteLevel()},
            {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", json::parse(R"([["h", "e"]])")}}}};
}

class TokenizerTest : public testing::Test {
protected:
    Tokenizer load(const json& content) {
        m_folder.write("tokenizer.json", content.dump());
        return Tokenizer::load(m_folder.path());
    }

    void expectRefused(const json& content, const std::string& says) {
        try {
            load(content);
            ADD_FAILURE() << "accepted, expected: " << says;
        } catch (const TrainerError& error) {
            EXPECT_EQ(error.code(), ExitCode::BadModel);
            const std::string text = error.what();
            EXPECT_NE(text.find(says), std::string::npos) << text << "\nexpected: " << says;
            EXPECT_NE(text.find("tokenizer.json"), std::string::npos) << text;
        }
    }

    /// small() with `value` at `pointer` is refused with `says`.
    void expectRefused(const char* pointer, json value, const std::string& says) {
        json content = small();
        content[json::json_pointer(pointer)] = std::move(value);
        expectRefused(content, says);
    }

    tests::TemporaryFolder m_folder;
};

TEST_F(TokenizerTest, encodesAndDecodes) {
    const auto tokenizer = load(small());
    EXPECT_EQ(tokenizer.encode("the", false), (Ids{'t', 256}));
    EXPECT_EQ(tokenizer.encode("the", true), (Ids{257, 't', 256}));
    EXPECT_EQ(tokenizer.encode("", true), (Ids{257}));
    EXPECT_EQ(tokenizer.encode("", false), Ids{});
    EXPECT_EQ(tokenizer.encode("h<s>e<tool>", false), (Ids{'h', 257, 'e', 258}));
    EXPECT_EQ(tokenizer.encode("e\u0301", false), (Ids{0xC3, 0xA9}));
    EXPECT_EQ(tokenizer.encode(std::string_view("\0", 1), false), (Ids{0}));
    Ids ids{7};
    tokenizer.encode("he", false, ids);
    EXPECT_EQ(ids, (Ids{7, 256}));
    EXPECT_EQ(tokenizer.decode(Ids{257, 't', 256, 258}, false), "<s>the<tool>");
    EXPECT_EQ(tokenizer.decode(Ids{257, 't', 256, 258}, true), "the<tool>");
    EXPECT_EQ(tokenizer.decode(Ids{0xC3, 'x', 999, -1}, true), "�x");
}

TEST_F(TokenizerTest, knowsItsTokens) {
    m_folder.write("tokenizer_config.json",
                   R"({"bos_token": {"content": "<s>"}, "eos_token": "<tool>", "x": 1})");
    const auto tokenizer = load(small());
    EXPECT_EQ(tokenizer.vocabSize(), 259u);
    EXPECT_EQ(tokenizer.maximumId(), 258);
    EXPECT_EQ(tokenizer.idOf("he"), 256);
    EXPECT_EQ(tokenizer.idOf("<tool>"), 258);
    EXPECT_EQ(tokenizer.idOf("none"), std::nullopt);
    EXPECT_EQ(tokenizer.tokenOf(32), "Ġ");
    EXPECT_EQ(tokenizer.tokenOf(259), std::nullopt);
    EXPECT_EQ(tokenizer.bos(), 257);
    EXPECT_EQ(tokenizer.eos(), 258);
    m_folder.write("tokenizer_config.json", R"({"bos_token": "<none>"})");
    EXPECT_THROW(load(small()), TrainerError);
    m_folder.write("tokenizer_config.json", R"({"bos_token": null})");
    EXPECT_EQ(load(small()).bos(), std::nullopt);
}

TEST_F(TokenizerTest, illFormedTextIsRefusedWithItsPlace) {
    const auto tokenizer = load(small());
    try {
        tokenizer.encode("abcé\xFFx", false);
        FAIL() << "accepted";
    } catch (const TrainerError& error) {
        EXPECT_EQ(error.code(), ExitCode::BadData);
        EXPECT_NE(std::string(error.what()).find("byte 5 is 0xff"), std::string::npos) << error.what();
    }
}

TEST_F(TokenizerTest, threadsShareIt) {
    const auto tokenizer = load(small());
    std::vector<std::thread> threads;
    std::vector<Ids> results(4);
    for (auto& result : results)
        threads.emplace_back([&tokenizer, &result] {
            for (int i = 0; i < 2000; ++i)
                result = tokenizer.encode("the word " + std::to_string(i), true);
        });
    for (auto& thread : threads)
        thread.join();
    for (const auto& result : results)
        EXPECT_EQ(result, tokenizer.encode("the word 1999", true));
}

TEST_F(TokenizerTest, whatIsNotUnderstoodIsNamed) {
    expectRefused(json::array(), "expected an object");
    expectRefused("/version", "2.0", "version: expected 1.0, found \"2.0\"");
    expectRefused("/truncation", {{"max_length", 5}}, "truncation: expected null");
    expectRefused("/padding", {{"pad_id", 0}}, "padding: expected null");
    expectRefused("/surprise", 1, "surprise: expected no such field");
    expectRefused("/normalizer/type", "NFD", "normalizer.type: expected NFC");
    expectRefused("/normalizer/form", 1, "normalizer.form: expected no such field");
    expectRefused("/normalizer", {{"type", "Sequence"}, {"normalizers", {{{"type", "Bert"}}}}},
                  "normalizer.normalizers[0].type: expected");
    expectRefused("/pre_tokenizer/type", "Punctuation", "pre_tokenizer.type: expected Split");
    expectRefused("/pre_tokenizer/use_regex", "yes",
                  "pre_tokenizer.use_regex: expected true or false, found \"yes\"");
    expectRefused("/pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {byteLevel(), byteLevel()}}},
                  "pre_tokenizer.pretokenizers[1].type: expected nothing behind ByteLevel");
    expectRefused(
        "/pre_tokenizer",
        {{"type", "Split"}, {"pattern", {{"Regex", "\\h"}}}, {"behavior", "Isolated"}, {"invert", false}},
        "the escape \\h");
    expectRefused(
        "/pre_tokenizer",
        {{"type", "Split"}, {"pattern", {{"String", "x"}}}, {"behavior", "Shuffled"}, {"invert", false}},
        "pre_tokenizer.behavior: expected Isolated");
    expectRefused("/post_processor/type", "BertProcessing",
                  "post_processor.type: expected TemplateProcessing");
    expectRefused("/post_processor/special_tokens", json::object(),
                  "post_processor.special_tokens: expected a field \"<s>\"");
    expectRefused("/post_processor/single/1/Sequence/id", "B", "expected A");
    expectRefused("/decoder/type", "CTC", "decoder.type: expected ByteLevel");
    expectRefused("/added_tokens/0/id", 300, "added_tokens[0].id: expected 257, the next free one");
    expectRefused("/added_tokens/1/content", "he",
                  "added_tokens[1].id: expected 256, which the same token has already");
    expectRefused("/added_tokens/0/content", "",
                  "added_tokens[0].content: expected a text that is not empty");
    expectRefused("/added_tokens/0/special", nullptr, "added_tokens[0].special: expected true or false");
}

TEST_F(TokenizerTest, faultsOfTheModelAreNamed) {
    expectRefused("/model/type", "Unigram", "model.type: expected BPE");
    expectRefused("/model/dropout", 0.1, "model.dropout: expected null");
    expectRefused("/model/end_of_word_suffix", "</w>", "model.end_of_word_suffix: expected null");
    expectRefused("/model/vocab/he", -1, "model.vocab.he: expected a whole number");
    expectRefused("/model/vocab/he", 7, "expected an id that no other token has");
    expectRefused("/model/vocab", json::array(), "model.vocab: expected an object");
    expectRefused("/model/merges", json::parse(R"([["h", "x"]])"),
                  "model.merges[0]: expected two tokens of the vocabulary");
    expectRefused("/model/merges", {"h e x"}, "model.merges[0]: expected two tokens");
    expectRefused("/model/merges", {1}, "model.merges[0]: expected two tokens");
    json content = small();
    content.erase("model");
    expectRefused(content, "expected a field \"model\"");
    m_folder.write("tokenizer.json", "{");
    EXPECT_THROW(Tokenizer::load(m_folder.path()), TrainerError);
    EXPECT_THROW(Tokenizer::load(m_folder.path() / "none"), TrainerError);
}

} // namespace
} // namespace coxswain::text
