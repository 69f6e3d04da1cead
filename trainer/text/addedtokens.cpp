// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/addedtokens.h"

#include "trainer/text/unicode.h"
#include "trainer/text/utf8.h"

#include <algorithm>

namespace coxswain::text {
namespace {

bool endsWithWord(std::string_view text) {
    if (text.empty())
        return false;
    const char* at = text.data() + lastCharacter(text);
    return isWord(nextCodePoint(at));
}

bool startsWithWord(std::string_view text) {
    if (text.empty())
        return false;
    const char* at = text.data();
    return isWord(nextCodePoint(at));
}

/// Where the white space at the end of `text` begins.
std::size_t trailingSpace(std::string_view text) {
    while (!text.empty()) {
        const std::size_t last = lastCharacter(text);
        const char* at = text.data() + last;
        if (!isWhitespace(nextCodePoint(at)))
            break;
        text = text.substr(0, last);
    }
    return text.size();
}

/// Bytes of white space at the start of `text`.
std::size_t leadingSpace(std::string_view text) {
    const char* at = text.data();
    std::size_t length = 0;
    while (length < text.size() && isWhitespace(nextCodePoint(at)))
        length = static_cast<std::size_t>(at - text.data());
    return length;
}

} // namespace

std::int32_t AddedTokenFinder::child(std::int32_t node, unsigned char byte) const {
    const auto& next = m_nodes[static_cast<std::size_t>(node)].next;
    const auto found = std::lower_bound(next.begin(), next.end(), byte,
                                        [](const auto& edge, unsigned char b) { return edge.first < b; });
    return found == next.end() || found->first != byte ? -1 : found->second;
}

bool AddedTokenFinder::add(const AddedToken& token, std::string_view pattern) {
    std::int32_t node = 0;
    for (const char c : pattern) {
        const auto byte = static_cast<unsigned char>(c);
        std::int32_t to = child(node, byte);
        if (to < 0) {
            to = static_cast<std::int32_t>(m_nodes.size());
            m_nodes.emplace_back();
            auto& next = m_nodes[static_cast<std::size_t>(node)].next;
            next.insert(std::upper_bound(next.begin(), next.end(), std::pair(byte, to)), {byte, to});
        }
        node = to;
    }
    auto& end = m_nodes[static_cast<std::size_t>(node)].token;
    if (end >= 0)
        return false;
    end = static_cast<std::int32_t>(m_tokens.size());
    m_tokens.push_back({token.id, token.singleWord, token.lstrip, token.rstrip});
    m_begins[static_cast<unsigned char>(pattern[0])] = true;
    return true;
}

std::int32_t AddedTokenFinder::longestAt(std::string_view text, std::size_t at, std::size_t& length) const {
    std::int32_t node = 0, found = -1;
    for (std::size_t i = at; i < text.size(); ++i) {
        node = child(node, static_cast<unsigned char>(text[i]));
        if (node < 0)
            break;
        if (const auto token = m_nodes[static_cast<std::size_t>(node)].token; token >= 0) {
            found = token;
            length = i + 1 - at;
        }
    }
    return found;
}

void AddedTokenFinder::find(std::string_view text, std::vector<Stretch>& stretches) const {
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t length = 0;
        const auto index =
            m_begins[static_cast<unsigned char>(text[at])] ? longestAt(text, at, length) : std::int32_t{-1};
        if (index < 0) {
            ++at;
            continue;
        }
        const Rules& token = m_tokens[static_cast<std::size_t>(index)];
        std::size_t begin = at, end = at + length;
        at = end; // also when it does not count: what it covers is passed over
        if (token.singleWord && (endsWithWord(text.substr(0, begin)) || startsWithWord(text.substr(end))))
            continue;
        if (token.lstrip)
            begin = std::max(trailingSpace(text.substr(0, begin)), done);
        if (token.rstrip)
            end += leadingSpace(text.substr(end));
        if (done < begin)
            stretches.push_back({done, begin, -1});
        stretches.push_back({begin, end, token.id});
        done = end;
    }
    if (done != text.size())
        stretches.push_back({done, text.size(), -1});
}

} // namespace coxswain::text
