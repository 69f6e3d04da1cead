// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace coxswain::text {

/// Unicode normal forms C and KC as Hugging Face's tokenizers have them: those of Unicode 9, so that
/// characters which came or changed later stay where and as they are. All texts are well-formed UTF-8.

/// True when `text` is certainly in the normal form; false when it has to be looked at.
bool isNormal(std::string_view text, bool compatible);

/// Appends the normal form of `text`: KC if `compatible`, else C. Throws std::bad_alloc.
void appendNormalized(std::string& result, std::string_view text, bool compatible);

} // namespace coxswain::text
