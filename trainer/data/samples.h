// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <string>
#include <vector>

namespace coxswain::trainer {

/// One sequence and what is to be learned of it.
struct Sample {
    std::vector<std::int64_t> tokens;
    /// Beside `tokens` and shifted: labels[t] is the token that must follow tokens[t]; -100 where nothing is
    /// learned.
    std::vector<std::int64_t> labels;

    std::int64_t targets() const;
};

/// The tokens of a text, special ones included. Called for lines that are not encoded.
using EncodeText = std::function<std::vector<std::int32_t>(const std::string& text)>;

/// Reads a sample a line, and skips blank lines. A line is a JSON object: {"tokens": [...], "labels": [...]}
/// with labels as in transformers (each beside its own token, -100 where none; absent: all are learned) or
/// {"text": "..."}, all of which is learned; any other line is itself such a text. Throws
/// TrainerError(BadData) that names the line: also for tokens outside of the vocabulary and for samples
/// longer than `longest` tokens.
std::vector<Sample> readSamples(std::istream& stream, std::int64_t vocabularySize, std::int64_t longest,
                                const EncodeText& encode);

} // namespace coxswain::trainer
