// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace coxswain::trainer {

/// One token a byte, and two more: enough to train a small decoder from scratch on any text.
struct ByteTokenizer {
    static constexpr std::int32_t bos = 256;
    static constexpr std::int32_t eos = 257;
    static constexpr std::int32_t vocabularySize = 258;

    /// Appends the bytes of `text`.
    static void encode(std::string_view text, std::vector<std::int32_t>& tokens) {
        for (const char c : text)
            tokens.push_back(static_cast<unsigned char>(c));
    }
};

} // namespace coxswain::trainer
