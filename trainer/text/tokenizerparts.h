// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/text/addedtokens.h"
#include "trainer/text/bpemodel.h"
#include "trainer/text/normalizer.h"
#include "trainer/text/postprocessor.h"
#include "trainer/text/pretokenizer.h"
#include "trainer/text/tokendecoder.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace coxswain::text {

/// What a tokenizer.json describes, put together: added tokens that are looked for in the text as it is, the
/// normalizer, added tokens that are looked for in its result, the pre-tokenizer, the model, the
/// post-processor; and back, the decoder. Immutable but for memory that callers borrow: threads may share it.
class TokenizerParts {
public:
    /// Throws TrainerError(BadModel).
    explicit TokenizerParts(const JsonField& json);

    /// `text` is well-formed; `recent` as in Note [Recent characters].
    void encode(std::string_view text, bool recent, bool special, std::vector<std::int32_t>& ids) const;
    std::string decode(std::span<const std::int32_t> ids, bool skipSpecial) const;

    std::size_t vocabSize() const;
    std::int32_t maximumId() const { return static_cast<std::int32_t>(m_tokens.size()) - 1; }
    std::int32_t idOf(std::string_view token) const; ///< -1: none
    const std::string* tokenOf(std::int32_t id) const;

private:
    /// What a call of encode() writes into; kept for the next one.
    struct Memory {
        BpeMemory bpe;
        SplitMemory split;
        std::string normal;
        std::vector<AddedTokenFinder::Stretch> plain, normalized;
        std::vector<Piece> pieces;
    };
    std::unique_ptr<Memory> borrow() const;
    void giveBack(std::unique_ptr<Memory> memory) const;

    void addTokens(const JsonField& json);
    void addToken(const JsonField& json, std::int32_t& next);
    void fillFinders(const JsonField& json);
    void setToken(std::int32_t id, std::string content);
    void encodeBetween(std::string_view text, bool first, bool recent, Memory& memory,
                       std::vector<std::int32_t>& ids) const;

    Normalizer m_normalizer;
    PreTokenizer m_preTokenizer;
    BpeModel m_model;
    PostProcessor m_postProcessor;
    TokenDecoder m_decoder;

    std::unordered_map<std::string, std::int32_t> m_addedIds;
    std::unordered_map<std::int32_t, AddedToken> m_added;
    std::unordered_map<std::int32_t, std::string> m_normalForms; ///< where they differ from the content
    std::set<std::string, std::less<>> m_special;
    AddedTokenFinder m_plainFinder, m_normalizedFinder;
    std::vector<std::string> m_tokens; ///< by id
    std::vector<bool> m_known;         ///< by id: whether a token has it

    mutable std::mutex m_mutex; ///< guards m_spare
    mutable std::vector<std::unique_ptr<Memory>> m_spare;
};

} // namespace coxswain::text
