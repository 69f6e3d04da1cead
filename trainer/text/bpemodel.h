// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/text/jsonfield.h"
#include "trainer/text/mergetable.h"
#include "trainer/text/wordcache.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace coxswain::text {

/// Merges the adjacent pair of least rank, leftmost first, until none is left. Keeps its memory between
/// words: not for several threads.
class Merger {
public:
    /// `ids` are a word's first tokens; they are replaced by the merged ones. O(n log n).
    void merge(std::vector<std::int32_t>& ids, const MergeTable& merges);

private:
    static void mergeShort(std::vector<std::int32_t>& ids, const MergeTable& merges);
    void mergeLong(std::vector<std::int32_t>& ids, const MergeTable& merges);
    void push(const std::vector<std::int32_t>& ids, std::int32_t at, const MergeTable& merges);

    std::vector<std::uint64_t> m_queue; ///< rank and place, least first
    std::vector<std::int32_t> m_next, m_previous;
};

/// What encoding needs and keeps between words.
struct BpeMemory {
    WordCache cache;
    Merger merger;
    std::vector<std::int32_t> ids;
    std::string text;
};

/// The part "model" of a tokenizer.json, type BPE. Immutable.
///
/// Note [Cuts]: a tokenizer like Gemma's has no pre-tokenizer, so a whole document is one word. No merge ever
/// joins characters x and y unless some merge has a left part that ends in x and a right part that begins
/// with y. Where two neighbours are no such pair a word falls into two that do not touch each other, so it is
/// cut there beforehand: the tokens are the same, and the parts are short and come again and again.
class BpeModel {
public:
    /// `byteLevel`: words come as bytes that stand for visible characters (bytelevel.h).
    /// Throws TrainerError(BadModel).
    BpeModel(const JsonField& json, bool byteLevel);

    /// Appends the tokens of `word`. Throws TrainerError(BadModel) when a character needs an unknown token
    /// and the model has none.
    void encode(std::string_view word, BpeMemory& memory, std::vector<std::int32_t>& tokens) const;

    /// -1 when there is no such token.
    std::int32_t idOf(std::string_view token) const;
    const std::unordered_map<std::string, std::int32_t>& vocabulary() const { return m_vocabulary; }

private:
    void readVocabulary(const JsonField& json);
    void readMerges(const JsonField& json);
    bool addMerge(std::string_view left, std::string_view right, std::uint32_t rank);
    void prepareBytes();
    void prepareCharacters();

    struct Joints {
        bool hold; ///< whether Note [Cuts] holds
        std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    };
    bool canCut() const;
    void addJoint(Joints& joints, std::string_view left, std::string_view right) const;

    std::int32_t characterId(std::string_view character) const;
    std::int32_t wholeWord(std::string_view word) const;
    void encodeBytes(std::string_view word, BpeMemory& memory, std::vector<std::int32_t>& tokens) const;
    void encodeCharacters(std::string_view word, BpeMemory& memory, std::vector<std::int32_t>& tokens) const;
    void encodeCut(std::string_view word, BpeMemory& memory, std::vector<std::int32_t>& tokens) const;
    void encodeRun(std::string_view run, BpeMemory& memory, std::vector<std::int32_t>& tokens) const;
    bool encodeFallback(std::string_view character, std::vector<std::int32_t>& tokens) const;
    std::int32_t unknownId() const;

    std::string m_file;
    std::unordered_map<std::string, std::int32_t> m_vocabulary;
    std::unordered_map<std::string, std::int32_t> m_byteWords; ///< by bytes; only with ignore_merges
    MergeTable m_merges;
    std::string m_unknown;
    bool m_hasUnknown = false, m_fuseUnknown = false, m_byteFallback = false, m_ignoreMerges = false;
    bool m_byteLevel;
    bool m_direct = false;                ///< every byte has a token of its own
    std::int32_t m_byteIds[256];          ///< -1: none
    std::int32_t m_fallbackIds[256];      ///< <0x00> …; -1: none
    std::vector<std::int32_t> m_plainIds; ///< of the characters up to U+FFFF; -1: none
    bool m_cuts = false;                  ///< Note [Cuts]
    MergeTable m_joined;                  ///< pairs of characters between which no cut may be
};

} // namespace coxswain::text
