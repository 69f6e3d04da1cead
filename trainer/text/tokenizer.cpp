// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/tokenizer.h"

#include "trainer/dist/errors.h"
#include "trainer/text/tokenizerparts.h"
#include "trainer/text/unicode.h"
#include "trainer/text/utf8.h"

#include <fstream>
#include <sstream>

namespace coxswain::text {
namespace {

using nlohmann::json;
using trainer::TrainerError;
using wire::ExitCode;

json readJson(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        throw TrainerError(ExitCode::BadModel, file.string() +
                                                   ": cannot be read: expected a tokenizer.json, or a "
                                                   "model's folder that has one");
    std::ostringstream text;
    text << stream.rdbuf();
    try {
        return json::parse(std::move(text).str());
    } catch (const json::exception& error) {
        throw TrainerError(ExitCode::BadModel, file.string() + ": not a JSON file: " + error.what());
    }
}

/// The id of the token that tokenizer_config.json has under `key`: a text or an added token.
std::optional<std::int32_t> namedToken(const JsonField& config, const char* key,
                                       const TokenizerParts& parts) {
    const auto field = config.find(key);
    if (!field)
        return std::nullopt;
    const auto content = field->value().is_object() ? field->at("content") : *field;
    const std::int32_t id = parts.idOf(content.text());
    if (id < 0)
        content.refuse("a token that tokenizer.json has");
    return id;
}

/// Whether `text` has recent characters (Note [Recent characters]); throws when it is ill-formed.
bool lookThrough(std::string_view text) {
    if (const std::size_t bad = firstIllFormed(text); bad != std::string_view::npos) {
        static constexpr char digits[] = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(text[bad]);
        throw TrainerError(ExitCode::BadData,
                           std::string("text is not UTF-8: byte ") + std::to_string(bad) + " is 0x" +
                               digits[byte >> 4] + digits[byte & 15] +
                               ", which begins no character there; convert the text, or drop the line");
    }
    for (const char* at = text.data(); at < text.data() + text.size();) {
        if (static_cast<unsigned char>(*at) < 0xE0) // recent characters begin above U+0800 here
            at += characterLength(*at);
        else if (isRecent(nextCodePoint(at)))
            return true;
    }
    return false;
}

} // namespace

struct Tokenizer::Parts : TokenizerParts {
    using TokenizerParts::TokenizerParts;
    std::optional<std::int32_t> bos, eos;
};

Tokenizer Tokenizer::load(const std::filesystem::path& path) {
    const auto file = std::filesystem::is_directory(path) ? path / "tokenizer.json" : path;
    const std::string name = file.string();
    const json content = readJson(file);
    const auto parts = std::make_shared<Parts>(JsonField(content, name));
    const auto configFile = file.parent_path() / "tokenizer_config.json";
    if (std::filesystem::exists(configFile)) {
        const std::string configName = configFile.string();
        const json config = readJson(configFile);
        const JsonField field(config, configName);
        parts->bos = namedToken(field, "bos_token", *parts);
        parts->eos = namedToken(field, "eos_token", *parts);
    }
    return Tokenizer(parts);
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, bool addSpecialTokens) const {
    std::vector<std::int32_t> ids;
    encode(text, addSpecialTokens, ids);
    return ids;
}

void Tokenizer::encode(std::string_view text, bool addSpecialTokens, std::vector<std::int32_t>& ids) const {
    const bool recent = lookThrough(text);
    m_parts->encode(text, recent, addSpecialTokens, ids);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skipSpecial) const {
    return m_parts->decode(ids, skipSpecial);
}

std::size_t Tokenizer::vocabSize() const {
    return m_parts->vocabSize();
}

std::int32_t Tokenizer::maximumId() const {
    return m_parts->maximumId();
}

std::optional<std::int32_t> Tokenizer::idOf(std::string_view token) const {
    const std::int32_t id = m_parts->idOf(token);
    return id < 0 ? std::nullopt : std::optional(id);
}

std::optional<std::string> Tokenizer::tokenOf(std::int32_t id) const {
    const std::string* token = m_parts->tokenOf(id);
    return token ? std::optional(*token) : std::nullopt;
}

std::optional<std::int32_t> Tokenizer::bos() const {
    return m_parts->bos;
}

std::optional<std::int32_t> Tokenizer::eos() const {
    return m_parts->eos;
}

} // namespace coxswain::text
