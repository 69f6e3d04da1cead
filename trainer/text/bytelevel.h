// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace coxswain::text {

/// GPT-2's writing of bytes as visible characters (github.com/openai/gpt-2, src/encoder.py): printable
/// Latin-1 stands for itself, the 68 other bytes are U+0100 … U+0143 in their order.
char32_t byteLevelCharacter(unsigned char byte);

/// The byte that `point` stands for; -1 for every other code point.
int byteLevelByte(char32_t point);

/// The bytes that `token` stands for; nothing when it holds a character that stands for no byte.
std::optional<std::string> byteLevelBytes(std::string_view token);

/// `bytes` as visible characters.
std::string byteLevelText(std::string_view bytes);

} // namespace coxswain::text
