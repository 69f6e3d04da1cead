// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct pcre2_real_code_8;

namespace coxswain::text {

/// What PCRE2 writes into while it matches. One for each thread that matches.
class MatchMemory {
public:
    MatchMemory();
    ~MatchMemory();
    MatchMemory(MatchMemory&&) noexcept;
    MatchMemory& operator=(MatchMemory&&) = delete;

private:
    friend class Regex;
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

/// A compiled pattern of a tokenizer.json. Immutable: threads may share it.
class Regex {
public:
    /// `pattern` is in the syntax that regexsyntax.h accepts. Throws std::invalid_argument that says what is
    /// wrong.
    static Regex fromPattern(std::string_view pattern);
    /// Finds just `text`, which must not be empty.
    static Regex fromLiteral(std::string_view text);

    /// Where in `text` the next match is, from byte `from` on; sets `begin` and `end` and returns true, or
    /// false when there is none. `text` is well-formed UTF-8, and `recent` tells whether it may hold recent
    /// characters (Note [Recent characters]). Throws TrainerError(BadData) when the match takes too long.
    bool find(MatchMemory& memory, std::string_view text, bool recent, std::size_t from, std::size_t& begin,
              std::size_t& end) const;

    /// Calls use(begin, end) for every match from left to right; matches do not overlap, and none is empty
    /// right behind another.
    template <class Use>
    void findAll(MatchMemory& memory, std::string_view text, bool recent, Use use) const {
        std::size_t from = 0, begin = 0, end = 0, last = std::string_view::npos;
        while (from <= text.size() && find(memory, text, recent, from, begin, end)) {
            if (begin == end && end == last) {
                from += from < text.size() ? lengthAt(text, from) : 1;
                continue;
            }
            from = last = end;
            use(begin, end);
        }
    }

private:
    Regex() = default;
    static std::size_t lengthAt(std::string_view text, std::size_t at);

    std::string m_literal; ///< when not empty, the rest is not used
    std::shared_ptr<pcre2_real_code_8> m_code;
    std::shared_ptr<pcre2_real_code_8> m_named; ///< for texts with recent characters
};

} // namespace coxswain::text
