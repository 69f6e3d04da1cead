// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/text/jsonfield.h"
#include "trainer/text/regex.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace coxswain::text {

/// The part "normalizer" of a tokenizer.json: NFC, NFKC, Replace, Prepend and sequences of these. Immutable.
class Normalizer {
public:
    /// Leaves texts as they are.
    Normalizer() = default;
    /// Throws TrainerError(BadModel) for a kind that is not known.
    explicit Normalizer(const JsonField& json);

    /// The normal form of `text`, which is `text` itself or lies in `buffer`.
    std::string_view apply(std::string_view text, bool recent, MatchMemory& memory,
                           std::string& buffer) const;

private:
    struct Unicode {
        bool compatible; ///< NFKC, not NFC
    };
    struct Replace {
        Regex pattern;
        std::string content;
    };
    struct Prepend {
        std::string content;
    };
    using Step = std::variant<Unicode, Replace, Prepend>;

    void add(const JsonField& json);
    static bool run(const Unicode& step, std::string_view text, bool recent, MatchMemory& memory,
                    std::string& result);
    static bool run(const Replace& step, std::string_view text, bool recent, MatchMemory& memory,
                    std::string& result);
    static bool run(const Prepend& step, std::string_view text, bool recent, MatchMemory& memory,
                    std::string& result);

    std::vector<Step> m_steps;
};

/// The field "pattern" of Replace and Split: {"String": …} or {"Regex": …}.
Regex readPattern(const JsonField& json);

} // namespace coxswain::text
