// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace coxswain::text {

/// Note [Recent characters]: a tokenizer must split a text as Hugging Face's splits it, to the byte. Its
/// regular expressions (Oniguruma 6.9.10) know Unicode 16, Debian 12's PCRE2 and utf8proc know Unicode 14,
/// and PCRE2 has its own opinion about U+180E. The code points that this concerns are "recent". They are so
/// rare that a text is looked through for them first: only when it has one, patterns are used that name them
/// one by one (regexsyntax.h). Nothing that was assigned before changed, but for U+1171E, a mark in both.

struct RecentRange {
    char32_t first;
    char32_t last;        ///< inclusive
    const char* category; ///< such as "Lo"
};

/// Ascending; without U+180E.
std::span<const RecentRange> recentRanges();

/// Note [Recent characters].
bool isRecent(char32_t point);

/// White_Space.
bool isWhitespace(char32_t point);

/// General category N, as in Rust's char::is_numeric.
bool isNumeric(char32_t point);

/// What \w matches in Rust's regex crate: Alphabetic, M, Nd, Pc and Join_Control (Unicode TR 18, annex C).
bool isWord(char32_t point);

} // namespace coxswain::text
