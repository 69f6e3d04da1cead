// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace coxswain::text {

/// Translates a pattern in Oniguruma's Ruby syntax, as tokenizer.json has it, for PCRE2 with UTF, UCP and
/// MULTILINE. The dialect is what tokenizers use: alternatives, groups, look-around, classes of characters,
/// ranges and properties, greedy, lazy and possessive repeats. With `named`, what is in Note [Recent
/// characters] of unicode.h is named code point by code point: exact for every text, but slower. Throws
/// std::invalid_argument that says what is not understood or means something else in PCRE2, and where.
std::string toPcre2Syntax(std::string_view pattern, bool named);

} // namespace coxswain::text
