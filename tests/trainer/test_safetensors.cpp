// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/temporaryfolder.h"
#include "trainer/dist/errors.h"
#include "trainer/model/safetensors.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

namespace coxswain::trainer {
namespace {

using nlohmann::json;

/// A file in the format: header length, header, buffer.
std::string packed(const std::string& header, const std::string& buffer) {
    std::uint64_t length = header.size();
    std::string text(sizeof length, '\0');
    std::memcpy(text.data(), &length, sizeof length);
    return text + header + buffer;
}

json entry(const char* type, std::vector<std::int64_t> shape, std::int64_t begin, std::int64_t end) {
    return {{"dtype", type}, {"shape", shape}, {"data_offsets", {begin, end}}};
}

class Safetensors : public testing::Test {
protected:
    std::filesystem::path write(const std::string& content) {
        return m_folder.write("m.safetensors", content);
    }

    void expectRefused(const std::string& content, const std::string& says) {
        const auto file = write(content);
        try {
            const SafetensorsFile read(file);
            ADD_FAILURE() << "accepted, expected: " << says;
        } catch (const TrainerError& error) {
            EXPECT_EQ(error.code(), wire::ExitCode::BadModel);
            const std::string text = error.what();
            EXPECT_NE(text.find(says), std::string::npos) << text << "\nexpected: " << says;
            EXPECT_NE(text.find(file.string()), std::string::npos) << text;
        }
    }

    tests::TemporaryFolder m_folder;
};

TEST_F(Safetensors, comeBackAsWritten) {
    const std::vector<float> a{1, -2, 3.5f, 1e-30f, 5, 6};
    const std::vector<std::int64_t> b{7};
    const std::string c = "xyz";
    const auto file = m_folder.path() / "m.safetensors";
    writeSafetensors(file, {{"layer.a", {"F32", {2, 3}, a.data(), 24}},
                            {"scalar", {"I64", {}, b.data(), 8}},
                            {"none", {"F32", {0, 4}, nullptr, 0}},
                            {"c", {"U8", {3}, c.data(), 3}}});
    const SafetensorsFile read(file);
    ASSERT_EQ(read.tensors().size(), 4u);
    const auto& view = read.tensors().at("layer.a");
    EXPECT_EQ(view.type, "F32");
    EXPECT_EQ(view.shape, (std::vector<std::int64_t>{2, 3}));
    ASSERT_EQ(view.bytes, 24u);
    EXPECT_EQ(std::memcmp(view.data, a.data(), 24), 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data) % 8, 0u) << "the buffer is aligned";
    EXPECT_EQ(std::memcmp(read.tensors().at("scalar").data, b.data(), 8), 0);
    EXPECT_EQ(read.tensors().at("none").bytes, 0u);
    EXPECT_EQ(std::string(static_cast<const char*>(read.tensors().at("c").data), 3), c);
}

TEST_F(Safetensors, acceptWhatTheFormatAllows) {
    // Padding after the header, metadata, tensors in any order.
    const json header = {{"__metadata__", {{"format", "pt"}}},
                         {"second", entry("BF16", {2}, 4, 8)},
                         {"first", entry("U8", {4}, 0, 4)}};
    const auto file = write(packed(header.dump() + "   ", "abcdefgh"));
    const SafetensorsFile read(file);
    EXPECT_EQ(std::string(static_cast<const char*>(read.tensors().at("second").data), 4), "efgh");
    const auto empty = write(packed("{}", ""));
    EXPECT_TRUE(SafetensorsFile(empty).tensors().empty());
}

TEST_F(Safetensors, damageIsNamed) {
    const json good = {{"t", entry("F32", {2}, 0, 8)}};
    const std::string buffer(8, 'x');
    const auto with = [&](const char* key, json value) {
        json changed = good;
        changed["t"][key] = std::move(value);
        return packed(changed.dump(), buffer);
    };
    expectRefused("", "empty");
    expectRefused("1234567", "too short");
    expectRefused(packed("", ""), "not a JSON object");
    expectRefused(packed("{\"t\":", buffer), "not a JSON object");
    expectRefused(packed(std::string(1, ' ').append(good.dump()), buffer),
                  "not a JSON object"); // must start with {
    expectRefused(packed("[]", ""), "not a JSON object");
    std::string long_header = packed(good.dump(), buffer);
    std::memset(long_header.data(), 0xff, 8);
    expectRefused(long_header, "header claims");
    expectRefused(packed(good.dump(), buffer).substr(0, 20), "header claims");
    expectRefused(packed(good.dump(), "1234567"), "found 7");
    expectRefused(packed(good.dump(), buffer + "x"), "found 9");
    expectRefused(with("dtype", "F99"), "unknown type");
    expectRefused(with("dtype", 32), "damaged header");
    expectRefused(with("dtype", "F64"), "offsets do not match");
    expectRefused(with("shape", json{3}), "offsets do not match");
    expectRefused(with("shape", json{-2}), "impossible shape");
    expectRefused(with("shape", json{1LL << 62, 1LL << 62}), "impossible shape");
    expectRefused(with("shape", "2"), "damaged header");
    expectRefused(with("data_offsets", json{8, 0}), "offsets do not match");
    expectRefused(with("data_offsets", json{-8, 0}), "offsets do not match");
    expectRefused(with("data_offsets", json{0}), "damaged header");
    json missing = good;
    missing["t"].erase("shape");
    expectRefused(packed(missing.dump(), buffer), "damaged header");
    expectRefused(packed(json{{"t", 5}}.dump(), buffer), "damaged header");
}

TEST_F(Safetensors, holesAndOverlapsAreNamed) {
    const std::string buffer(16, 'x');
    expectRefused(
        packed(json{{"a", entry("F32", {2}, 0, 8)}, {"b", entry("F32", {1}, 12, 16)}}.dump(), buffer),
        "hole at byte 8");
    expectRefused(packed(json{{"a", entry("F32", {2}, 8, 16)}}.dump(), buffer), "hole at byte 0");
    expectRefused(
        packed(json{{"a", entry("F32", {2}, 0, 8)}, {"b", entry("F32", {3}, 4, 16)}}.dump(), buffer),
        "overlap");
    expectRefused(
        packed(json{{"a", entry("F32", {4}, 0, 16)}, {"b", entry("F32", {4}, 0, 16)}}.dump(), buffer),
        "overlap");
    expectRefused(
        packed(json{{"a", entry("F32", {4}, 16, 32)}, {"b", entry("F32", {4}, 0, 16)}}.dump(), buffer),
        "found 16");
}

TEST_F(Safetensors, filesThatCannotBeOpenedAreNamed) {
    try {
        const SafetensorsFile read(m_folder.path() / "missing.safetensors");
        FAIL() << "opened a file that is not there";
    } catch (const TrainerError& error) {
        EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
    }
    try {
        writeSafetensors("/dev/full", {{"t", {"U8", {3}, "abc", 3}}});
        FAIL() << "wrote to a full disk";
    } catch (const TrainerError& error) {
        EXPECT_EQ(error.code(), wire::ExitCode::Disk);
        EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
    }
}

} // namespace
} // namespace coxswain::trainer
