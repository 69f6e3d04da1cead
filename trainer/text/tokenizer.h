// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coxswain::text {

/// A Hugging Face tokenizer: what its tokenizer.json describes, with the same ids and texts as the Python
/// package tokenizers 0.23 gives. Immutable: threads may share it; copies are cheap and share everything.
///
/// Supported is what tokenizers of decoder models use; anything else in the file is refused when it is
/// loaded, never passed over. Characters that Unicode 17 and later assign may be classified as unassigned.
class Tokenizer {
public:
    /// `path` is a tokenizer.json, or a folder that has one, and perhaps a tokenizer_config.json beside it,
    /// of which bos_token and eos_token are used. Throws TrainerError(BadModel) that names file and field.
    static Tokenizer load(const std::filesystem::path& path);

    /// The tokens of `text`; with `addSpecialTokens` those too that the post-processor puts around it. Added
    /// tokens that stand in the text become themselves. `text` must be well-formed UTF-8, as a Python str
    /// always is: otherwise throws TrainerError(BadData) that gives the byte's position.
    std::vector<std::int32_t> encode(std::string_view text, bool addSpecialTokens) const;
    /// The same, appended to `ids`.
    void encode(std::string_view text, bool addSpecialTokens, std::vector<std::int32_t>& ids) const;

    /// The text of `ids`, well-formed UTF-8: bytes that make no character become U+FFFD. Ids that no token
    /// has are passed over; so are special tokens with `skipSpecial`.
    std::string decode(std::span<const std::int32_t> ids, bool skipSpecial) const;

    /// The number of different tokens, added ones included. Ids may have gaps: see maximumId().
    std::size_t vocabSize() const;
    /// The greatest id that a token has; an embedding needs at least one row more than this.
    std::int32_t maximumId() const;
    std::optional<std::int32_t> idOf(std::string_view token) const;
    /// The token's text as tokenizer.json has it (a normalized added token: its normal form).
    std::optional<std::string> tokenOf(std::int32_t id) const;
    /// As tokenizer_config.json names them.
    std::optional<std::int32_t> bos() const;
    std::optional<std::int32_t> eos() const;

private:
    struct Parts;
    explicit Tokenizer(std::shared_ptr<const Parts> parts) : m_parts(std::move(parts)) {}

    std::shared_ptr<const Parts> m_parts;
};

} // namespace coxswain::text
