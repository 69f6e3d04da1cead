// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/tokenizerparts.h"

#include <algorithm>
#include <optional>

namespace coxswain::text {
namespace {

template <class Part>
Part optionalPart(const JsonField& json, const char* key) {
    const auto field = json.find(key);
    return field ? Part(*field) : Part();
}

/// Checks the whole file before its parts are read; returns it.
const JsonField& checked(const JsonField& json) {
    json.expectOnly({"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer",
                     "post_processor", "decoder", "model"});
    if (const auto version = json.find("version"); version && version->text() != "1.0")
        version->refuse("1.0");
    if (const auto truncation = json.find("truncation"))
        truncation->refuse("null: the trainer itself cuts sequences; set it to null");
    if (const auto padding = json.find("padding"))
        padding->refuse("null: the trainer itself fills sequences up; set it to null");
    return json;
}

} // namespace

TokenizerParts::TokenizerParts(const JsonField& json)
    : m_normalizer(optionalPart<Normalizer>(checked(json), "normalizer")),
      m_preTokenizer(optionalPart<PreTokenizer>(json, "pre_tokenizer")),
      m_model(json.at("model"), m_preTokenizer.byteLevel()),
      m_postProcessor(optionalPart<PostProcessor>(json, "post_processor")),
      m_decoder(optionalPart<TokenDecoder>(json, "decoder")) {
    for (const auto& [token, id] : m_model.vocabulary())
        setToken(id, token);
    if (const auto added = json.find("added_tokens"))
        addTokens(*added);
}

void TokenizerParts::setToken(std::int32_t id, std::string content) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= m_tokens.size()) {
        m_tokens.resize(index + 1);
        m_known.resize(index + 1);
    }
    m_tokens[index] = std::move(content);
    m_known[index] = true;
}

void TokenizerParts::addTokens(const JsonField& json) {
    auto next = static_cast<std::int32_t>(m_model.vocabulary().size());
    for (const auto& one : json.elements())
        addToken(one, next);
    fillFinders(json);
}

/// A token that the model has not gets the next free id, whatever its "id" says: so does Hugging Face's. A
/// file in which the two differ is refused, for its author and its user would mean different tokens.
void TokenizerParts::addToken(const JsonField& json, std::int32_t& next) {
    json.expectOnly({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
    AddedToken token{json.at("id").number(),   json.at("content").text(), json.at("single_word").flag(),
                     json.at("lstrip").flag(), json.at("rstrip").flag(),  json.at("normalized").flag(),
                     json.at("special").flag()};
    if (token.content.empty())
        json.at("content").refuse("a text that is not empty");
    std::int32_t id = idOf(token.content);
    if (id < 0)
        id = next++;
    if (token.id != id)
        json.at("id").refuse(std::to_string(id) +
                             (idOf(token.content) < 0
                                  ? ", the next free one: ids of added tokens must go on behind model.vocab's"
                                  : ", which the same token has already"));
    std::string shown = token.content;
    if (token.normalized) {
        MatchMemory memory;
        std::string buffer;
        shown = m_normalizer.apply(token.content, true, memory, buffer);
        if (shown != token.content)
            m_normalForms[id] = shown;
    }
    setToken(id, m_normalForms.contains(id) ? m_normalForms[id] : token.content);
    m_addedIds[token.content] = id;
    if (token.special)
        m_special.insert(token.content);
    m_added[id] = std::move(token);
}

void TokenizerParts::fillFinders(const JsonField& json) {
    for (const auto& [id, token] : m_added) {
        const auto form = m_normalForms.find(id);
        const bool hasForm = token.normalized && form != m_normalForms.end();
        const std::string& pattern = hasForm ? form->second : token.content;
        auto& finder = token.normalized ? m_normalizedFinder : m_plainFinder;
        if (pattern.empty() || !finder.add(token, pattern))
            json.refuse("added tokens whose normal forms differ and are not empty; \"" + token.content +
                        "\" is not so");
    }
}

std::size_t TokenizerParts::vocabSize() const {
    return static_cast<std::size_t>(std::count(m_known.begin(), m_known.end(), true));
}

std::int32_t TokenizerParts::idOf(std::string_view token) const {
    const auto found = m_addedIds.find(std::string(token));
    return found == m_addedIds.end() ? m_model.idOf(token) : found->second;
}

const std::string* TokenizerParts::tokenOf(std::int32_t id) const {
    const auto index = static_cast<std::size_t>(id);
    return id >= 0 && index < m_tokens.size() && m_known[index] ? &m_tokens[index] : nullptr;
}

std::unique_ptr<TokenizerParts::Memory> TokenizerParts::borrow() const {
    {
        const std::lock_guard lock(m_mutex);
        if (!m_spare.empty()) {
            auto memory = std::move(m_spare.back());
            m_spare.pop_back();
            return memory;
        }
    }
    return std::make_unique<Memory>();
}

void TokenizerParts::giveBack(std::unique_ptr<Memory> memory) const {
    const std::lock_guard lock(m_mutex);
    m_spare.push_back(std::move(memory));
}

void TokenizerParts::encode(std::string_view text, bool recent, bool special,
                            std::vector<std::int32_t>& ids) const {
    auto memory = borrow(); // lost when something throws, which is no harm
    std::vector<std::int32_t> made;
    auto& stretches = memory->plain;
    stretches.clear();
    m_plainFinder.find(text, stretches);
    for (const auto& stretch : stretches) {
        if (stretch.id >= 0)
            made.push_back(stretch.id);
        else
            encodeBetween(text.substr(stretch.begin, stretch.end - stretch.begin), stretch.begin == 0, recent,
                          *memory, made);
    }
    giveBack(std::move(memory));
    m_postProcessor.apply(made, special);
    if (ids.empty())
        ids = std::move(made);
    else
        ids.insert(ids.end(), made.begin(), made.end());
}

void TokenizerParts::encodeBetween(std::string_view text, bool first, bool recent, Memory& memory,
                                   std::vector<std::int32_t>& ids) const {
    text = m_normalizer.apply(text, recent, memory.split.matching, memory.normal);
    auto& stretches = memory.normalized;
    stretches.clear();
    m_normalizedFinder.find(text, stretches);
    for (const auto& stretch : stretches) {
        if (stretch.id >= 0) {
            ids.push_back(stretch.id);
            continue;
        }
        auto& pieces = memory.pieces;
        pieces.clear();
        memory.split.made.clear();
        pieces.push_back(
            {text.substr(stretch.begin, stretch.end - stretch.begin), first && stretch.begin == 0});
        m_preTokenizer.apply(pieces, recent, memory.split);
        for (const auto& piece : pieces)
            m_model.encode(piece.text, memory.bpe, ids);
    }
}

std::string TokenizerParts::decode(std::span<const std::int32_t> ids, bool skipSpecial) const {
    std::vector<std::string> tokens;
    tokens.reserve(ids.size());
    for (const std::int32_t id : ids) {
        const std::string* token = tokenOf(id);
        if (token && !(skipSpecial && m_special.contains(*token)))
            tokens.push_back(*token);
    }
    return m_decoder.decode(std::move(tokens));
}

} // namespace coxswain::text
