// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coxswain::text {

/// A token that is looked for in the text itself, before anything else is done to the text.
struct AddedToken {
    std::int32_t id = 0;
    std::string content;
    bool singleWord = false; ///< only where no letter or digit is beside it
    bool lstrip = false;     ///< takes the white space before it along
    bool rstrip = false;     ///< takes the white space behind it along
    bool normalized = false; ///< looked for in the normalized text
    bool special = false;    ///< left out when decode() is asked to
};

/// Finds tokens in texts: leftmost first, then longest. Immutable once filled.
class AddedTokenFinder {
public:
    /// A stretch of the text: a token, or (id -1) what is between tokens.
    struct Stretch {
        std::size_t begin, end;
        std::int32_t id;
    };

    /// `pattern` is what to look for: the token's content or its normal form; not empty. False, and nothing
    /// is done, when another token has the same pattern.
    bool add(const AddedToken& token, std::string_view pattern);
    bool empty() const { return m_tokens.empty(); }

    /// Appends the stretches of `text` in order. Only tokens with rstrip can make them overlap: the white
    /// space that such a token takes may hold another token.
    void find(std::string_view text, std::vector<Stretch>& stretches) const;

private:
    struct Rules {
        std::int32_t id;
        bool singleWord, lstrip, rstrip;
    };
    struct Node {
        std::vector<std::pair<unsigned char, std::int32_t>> next; ///< ascending bytes
        std::int32_t token = -1;                                  ///< index into m_tokens
    };
    std::int32_t child(std::int32_t node, unsigned char byte) const;
    /// The longest token at `at`: its index, or -1; sets `length`.
    std::int32_t longestAt(std::string_view text, std::size_t at, std::size_t& length) const;

    std::vector<Rules> m_tokens;
    std::vector<Node> m_nodes{1};
    bool m_begins[256] = {}; ///< by first byte
};

} // namespace coxswain::text
