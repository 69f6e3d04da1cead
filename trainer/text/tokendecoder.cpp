// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/tokendecoder.h"

#include "trainer/text/bytelevel.h"
#include "trainer/text/normalizer.h"
#include "trainer/text/utf8.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace coxswain::text {
namespace {

constexpr std::string_view replacementCharacter = "\xEF\xBF\xBD";

std::string utf8Of(char32_t point) {
    std::string text;
    appendUtf8(text, point);
    return text;
}

/// The byte that a token such as <0x1F> stands for.
std::optional<char> fallbackByte(std::string_view token) {
    if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>'))
        return std::nullopt;
    std::string_view digits = token.substr(3, 2);
    if (digits[0] == '+') // as Rust reads numbers
        digits.remove_prefix(1);
    unsigned value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (fault != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return static_cast<char>(value);
}

} // namespace

TokenDecoder::TokenDecoder(const JsonField& json) : m_joinsWithSpaces(false) {
    add(json);
}

void TokenDecoder::add(const JsonField& json) {
    const auto type = json.at("type");
    const std::string name = type.text();
    if (name == "Sequence") {
        json.expectOnly({"type", "decoders"});
        for (const auto& one : json.at("decoders").elements())
            add(one);
    } else if (name == "ByteLevel") {
        json.expectOnly({"type", "add_prefix_space", "trim_offsets", "use_regex"});
        m_steps.push_back(ByteLevel{});
    } else if (name == "ByteFallback") {
        json.expectOnly({"type"});
        m_steps.push_back(ByteFallback{});
    } else if (name == "Fuse") {
        json.expectOnly({"type"});
        m_steps.push_back(Fuse{});
    } else if (name == "Replace") {
        json.expectOnly({"type", "pattern", "content"});
        m_steps.push_back(Replace{readPattern(json.at("pattern")), json.at("content").text()});
    } else if (name == "Strip") {
        json.expectOnly({"type", "content", "start", "stop"});
        m_steps.push_back(Strip{utf8Of(json.at("content").character()), json.at("start").number(),
                                json.at("stop").number()});
    } else if (name == "Metaspace") {
        json.expectOnly({"type", "replacement", "add_prefix_space", "prepend_scheme", "split", "str_rep"});
        const auto scheme = json.find("prepend_scheme");
        m_steps.push_back(
            Metaspace{utf8Of(json.at("replacement").character()),
                      !(scheme && scheme->text() == "never") && json.flagOr("add_prefix_space", true)});
    } else {
        type.refuse(
            "ByteLevel, ByteFallback, Replace, Fuse, Strip, Metaspace or Sequence: no other decoder is "
            "supported");
    }
}

std::string TokenDecoder::decode(std::vector<std::string> tokens) const {
    for (const auto& step : m_steps)
        std::visit([&](const auto& one) { run(one, tokens); }, step);
    std::string text;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (m_joinsWithSpaces && i > 0)
            text += ' ';
        text += tokens[i];
    }
    return text;
}

void TokenDecoder::run(const ByteLevel&, Tokens& tokens) {
    std::string bytes, text;
    for (const auto& token : tokens)
        bytes += byteLevelBytes(token).value_or(token);
    appendLossy(text, bytes);
    tokens = {std::move(text)};
}

void TokenDecoder::run(const ByteFallback&, Tokens& tokens) {
    Tokens made;
    std::string bytes;
    const auto flush = [&] {
        if (bytes.empty())
            return;
        if (firstIllFormed(bytes) == std::string::npos)
            made.push_back(bytes);
        else
            made.insert(made.end(), bytes.size(), std::string(replacementCharacter));
        bytes.clear();
    };
    for (auto& token : tokens) {
        if (const auto byte = fallbackByte(token)) {
            bytes.push_back(*byte);
            continue;
        }
        flush();
        made.push_back(std::move(token));
    }
    flush();
    tokens = std::move(made);
}

void TokenDecoder::run(const Fuse&, Tokens& tokens) {
    std::string text;
    for (const auto& token : tokens)
        text += token;
    tokens = {std::move(text)};
}

void TokenDecoder::run(const Replace& step, Tokens& tokens) {
    MatchMemory memory;
    for (auto& token : tokens) {
        if (token.empty())
            continue;
        std::string made;
        std::size_t done = 0;
        step.pattern.findAll(memory, token, true, [&](std::size_t begin, std::size_t end) {
            made.append(token, done, begin - done);
            made += step.content;
            done = end;
        });
        made.append(token, done);
        token = std::move(made);
    }
}

void TokenDecoder::run(const Strip& step, Tokens& tokens) {
    for (auto& token : tokens) {
        std::string_view rest = token;
        for (int i = 0; i < step.start && rest.starts_with(step.content); ++i)
            rest.remove_prefix(step.content.size());
        for (int i = 0; i < step.stop && rest.ends_with(step.content); ++i)
            rest.remove_suffix(step.content.size());
        token = std::string(rest);
    }
}

void TokenDecoder::run(const Metaspace& step, Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        std::string made;
        std::string_view rest = tokens[i];
        while (!rest.empty()) {
            const std::size_t length = characterLength(rest[0]);
            const auto character = rest.substr(0, length);
            if (character != step.replacement)
                made += character;
            else if (i > 0 || !step.dropFirst)
                made += ' ';
            rest.remove_prefix(length);
        }
        tokens[i] = std::move(made);
    }
}

} // namespace coxswain::text
