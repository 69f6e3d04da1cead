// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/bpemodel.h"

#include "trainer/dist/errors.h"
#include "trainer/text/bytelevel.h"
#include "trainer/text/utf8.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace coxswain::text {
namespace {

std::string fallbackToken(int byte) {
    static constexpr char digits[] = "0123456789ABCDEF";
    return std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + '>';
}

using Pair = std::pair<std::string_view, std::string_view>;

/// A merge is written "a b" or ["a", "b"]. Nothing when it is neither.
std::optional<Pair> readMerge(const nlohmann::json& json) {
    using Text = std::string;
    if (json.is_array() && json.size() == 2 && json[0].is_string() && json[1].is_string())
        return Pair(json[0].get_ref<const Text&>(), json[1].get_ref<const Text&>());
    if (!json.is_string())
        return std::nullopt;
    const std::string_view both = json.get_ref<const Text&>();
    const std::size_t space = both.find(' ');
    if (space == std::string_view::npos || both.find(' ', space + 1) != std::string_view::npos)
        return std::nullopt;
    return Pair(both.substr(0, space), both.substr(space + 1));
}

} // namespace

BpeModel::BpeModel(const JsonField& json, bool byteLevel) : m_byteLevel(byteLevel) {
    if (const auto type = json.find("type"); type && type->text() != "BPE")
        type->refuse("BPE: no other model is supported");
    json.expectOnly({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
                     "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges"});
    if (const auto dropout = json.find("dropout");
        dropout && !(dropout->value().is_number() && dropout->value().get<double>() == 0))
        dropout->refuse("null: dropping merges at random is not supported");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
        if (const auto affix = json.find(key); affix && !affix->text().empty())
            affix->refuse("null or an empty text: prefixes and suffixes of subwords are not supported");
    if (const auto unknown = json.find("unk_token")) {
        m_unknown = unknown->text();
        m_hasUnknown = true;
    }
    m_fuseUnknown = json.flagOr("fuse_unk", false);
    m_byteFallback = json.flagOr("byte_fallback", false);
    m_ignoreMerges = json.flagOr("ignore_merges", false);
    readVocabulary(json.at("vocab"));
    prepareCharacters();
    prepareBytes();
    readMerges(json.at("merges"));
}

void BpeModel::readVocabulary(const JsonField& json) {
    if (!json.value().is_object())
        json.refuse("an object of tokens and ids");
    m_vocabulary.reserve(json.value().size());
    std::vector<bool> taken;
    for (const auto& [token, id] : json.value().items()) {
        const std::int32_t number = id.is_number_unsigned() && id.get<std::uint64_t>() < (1u << 30)
                                        ? id.get<std::int32_t>()
                                        : json.at(token.c_str()).number();
        const auto index = static_cast<std::size_t>(number);
        if (index >= taken.size())
            taken.resize(index + 1);
        if (taken[index])
            json.at(token.c_str()).refuse("an id that no other token has");
        taken[index] = true;
        m_vocabulary.emplace(token, number);
    }
}

void BpeModel::readMerges(const JsonField& json) {
    const auto& all = json.value();
    if (!all.is_array())
        json.refuse("an array of pairs");
    m_merges = MergeTable(all.size());
    Joints joints{canCut(), {}};
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].is_string() && all[i].get_ref<const std::string&>().starts_with("#version"))
            continue;
        const auto pair = readMerge(all[i]);
        if (!pair)
            json.elements()[i].refuse("two tokens: [\"a\", \"b\"], or \"a b\" with one space");
        if (!addMerge(pair->first, pair->second, rank++))
            json.elements()[i].refuse("two tokens of the vocabulary, which together are a third");
        addJoint(joints, pair->first, pair->second);
    }
    m_cuts = joints.hold;
    if (!m_cuts)
        return;
    std::sort(joints.pairs.begin(), joints.pairs.end());
    joints.pairs.erase(std::unique(joints.pairs.begin(), joints.pairs.end()), joints.pairs.end());
    m_joined = MergeTable(joints.pairs.size());
    for (const auto& [x, y] : joints.pairs)
        m_joined.put(x, y, {0, 0});
}

bool BpeModel::addMerge(std::string_view left, std::string_view right, std::uint32_t rank) {
    const std::int32_t leftId = idOf(left), rightId = idOf(right);
    const std::int32_t id = idOf(std::string(left) + std::string(right));
    if (leftId < 0 || rightId < 0 || id < 0)
        return false;
    m_merges.put(leftId, rightId, {rank, id});
    return true;
}

/// Note [Cuts] needs that characters without a token leave something behind: were they dropped, their
/// neighbours would meet.
bool BpeModel::canCut() const {
    const bool everyByte =
        std::find(std::begin(m_fallbackIds), std::end(m_fallbackIds), -1) == std::end(m_fallbackIds);
    return !m_direct && (m_hasUnknown || everyByte);
}

void BpeModel::prepareBytes() {
    m_direct = m_byteLevel;
    for (int byte = 0; byte < 256; ++byte) {
        const std::string text = byteLevelText(std::string(1, static_cast<char>(byte)));
        m_byteIds[byte] = idOf(text);
        m_direct = m_direct && m_byteIds[byte] >= 0;
        m_fallbackIds[byte] = m_byteFallback ? idOf(fallbackToken(byte)) : -1;
    }
    if (m_direct && m_ignoreMerges)
        for (const auto& [token, id] : m_vocabulary)
            if (auto bytes = byteLevelBytes(token))
                m_byteWords.emplace(std::move(*bytes), id);
}

void BpeModel::prepareCharacters() {
    m_plainIds.assign(0x10000, -1);
    for (const auto& [token, id] : m_vocabulary) {
        if (token.empty() || characterLength(token[0]) != token.size())
            continue;
        const char* at = token.data();
        const char32_t point = nextCodePoint(at);
        if (point < m_plainIds.size())
            m_plainIds[point] = id;
    }
}

/// Notes what the merge of `left` and `right` joins; or that Note [Cuts] does not hold, when it joins what is
/// no run of characters with tokens of their own.
void BpeModel::addJoint(Joints& joints, std::string_view left, std::string_view right) const {
    if (!joints.hold)
        return;
    const auto isFallback = [&](std::string_view token) {
        return (m_hasUnknown && token == m_unknown) ||
               (m_byteFallback && token.size() == 6 && token.starts_with("<0x"));
    };
    joints.hold = !left.empty() && !right.empty() && !isFallback(left) && !isFallback(right) &&
                  !isFallback(std::string(left) + std::string(right));
    if (!joints.hold)
        return;
    const std::int32_t x = characterId(left.substr(lastCharacter(left)));
    const std::int32_t y = characterId(right.substr(0, characterLength(right[0])));
    joints.hold = x >= 0 && y >= 0;
    joints.pairs.emplace_back(x, y);
}

std::int32_t BpeModel::idOf(std::string_view token) const {
    const auto found = m_vocabulary.find(std::string(token));
    return found == m_vocabulary.end() ? -1 : found->second;
}

std::int32_t BpeModel::characterId(std::string_view character) const {
    const char* at = character.data();
    const char32_t point = nextCodePoint(at);
    return point < m_plainIds.size() ? m_plainIds[point] : idOf(character);
}

std::int32_t BpeModel::unknownId() const {
    const std::int32_t id = idOf(m_unknown);
    if (id < 0)
        throw trainer::TrainerError(
            wire::ExitCode::BadModel,
            "tokenizer.json: model.unk_token is \"" + m_unknown +
                "\", which is not in model.vocab, and the text has a character that needs it");
    return id;
}

void BpeModel::encode(std::string_view word, BpeMemory& memory, std::vector<std::int32_t>& tokens) const {
    if (word.empty())
        return;
    if (m_direct)
        return encodeBytes(word, memory, tokens);
    if (m_byteLevel) {
        memory.text = byteLevelText(word);
        word = memory.text;
    }
    if (m_ignoreMerges)
        if (const std::int32_t id = idOf(word); id >= 0)
            return tokens.push_back(id);
    if (m_cuts)
        encodeCut(word, memory, tokens);
    else
        encodeCharacters(word, memory, tokens);
}

void BpeModel::encodeBytes(std::string_view word, BpeMemory& memory,
                           std::vector<std::int32_t>& tokens) const {
    const std::uint64_t hash = hashBytes(word);
    if (const auto known = memory.cache.find(word, hash); !known.empty()) {
        tokens.insert(tokens.end(), known.begin(), known.end());
        return;
    }
    auto& ids = memory.ids;
    ids.clear();
    const auto whole = m_ignoreMerges ? m_byteWords.find(std::string(word)) : m_byteWords.end();
    if (whole != m_byteWords.end()) {
        ids.push_back(whole->second);
    } else {
        for (const char byte : word)
            ids.push_back(m_byteIds[static_cast<unsigned char>(byte)]);
        memory.merger.merge(ids, m_merges);
    }
    memory.cache.put(word, hash, ids);
    tokens.insert(tokens.end(), ids.begin(), ids.end());
}

/// False when the model has no tokens for the bytes of `character`.
bool BpeModel::encodeFallback(std::string_view character, std::vector<std::int32_t>& tokens) const {
    if (!m_byteFallback)
        return false;
    for (const char byte : character)
        if (m_fallbackIds[static_cast<unsigned char>(byte)] < 0)
            return false;
    for (const char byte : character)
        tokens.push_back(m_fallbackIds[static_cast<unsigned char>(byte)]);
    return true;
}

/// A run of characters that all have tokens of their own.
void BpeModel::encodeRun(std::string_view run, BpeMemory& memory, std::vector<std::int32_t>& tokens) const {
    const std::uint64_t hash = hashBytes(run);
    if (const auto known = memory.cache.find(run, hash); !known.empty()) {
        tokens.insert(tokens.end(), known.begin(), known.end());
        return;
    }
    auto& ids = memory.ids;
    ids.clear();
    for (std::size_t at = 0, length = 0; at < run.size(); at += length) {
        length = characterLength(run[at]);
        ids.push_back(characterId(run.substr(at, length)));
    }
    memory.merger.merge(ids, m_merges);
    memory.cache.put(run, hash, ids);
    tokens.insert(tokens.end(), ids.begin(), ids.end());
}

// Both below: an unknown token waits for the next known character, so that it can grow (fuse_unk), also past
// characters that became bytes. So does Hugging Face's.
void BpeModel::encodeCut(std::string_view word, BpeMemory& memory, std::vector<std::int32_t>& tokens) const {
    bool unknown = false;
    std::size_t begin = 0;
    std::int32_t before = -1;
    for (std::size_t at = 0, length = 0; at < word.size(); at += length) {
        length = characterLength(word[at]);
        const auto character = word.substr(at, length);
        const std::int32_t id = characterId(character);
        if (before >= 0 && (id < 0 || !m_joined.find(before, id))) {
            encodeRun(word.substr(begin, at - begin), memory, tokens);
            before = -1;
        }
        if (id >= 0) {
            if (unknown)
                tokens.push_back(unknownId());
            unknown = false;
            if (before < 0)
                begin = at;
        } else if (!encodeFallback(character, tokens) && m_hasUnknown) {
            if (unknown && !m_fuseUnknown)
                tokens.push_back(unknownId());
            unknown = true;
        }
        before = id;
    }
    if (before >= 0)
        encodeRun(word.substr(begin), memory, tokens);
    if (unknown)
        tokens.push_back(unknownId());
}

void BpeModel::encodeCharacters(std::string_view word, BpeMemory& memory,
                                std::vector<std::int32_t>& tokens) const {
    const std::uint64_t hash = hashBytes(word);
    if (const auto known = memory.cache.find(word, hash); !known.empty()) {
        tokens.insert(tokens.end(), known.begin(), known.end());
        return;
    }
    auto& ids = memory.ids;
    ids.clear();
    bool unknown = false;
    for (std::size_t at = 0, length = 0; at < word.size(); at += length) {
        length = characterLength(word[at]);
        const auto character = word.substr(at, length);
        const std::int32_t id = characterId(character);
        if (id < 0 && (encodeFallback(character, ids) || !m_hasUnknown))
            continue;
        if (unknown && (id >= 0 || !m_fuseUnknown))
            ids.push_back(unknownId());
        unknown = id < 0;
        if (id >= 0)
            ids.push_back(id);
    }
    if (unknown)
        ids.push_back(unknownId());
    memory.merger.merge(ids, m_merges);
    memory.cache.put(word, hash, ids);
    tokens.insert(tokens.end(), ids.begin(), ids.end());
}

} // namespace coxswain::text
