// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/text/jsonfield.h"
#include "trainer/text/regex.h"

#include <string>
#include <variant>
#include <vector>

namespace coxswain::text {

/// The part "decoder" of a tokenizer.json, which makes text of tokens: ByteLevel, ByteFallback, Replace,
/// Fuse, Strip, Metaspace and sequences of these. Immutable.
class TokenDecoder {
public:
    /// Joins tokens with spaces between them.
    TokenDecoder() = default;
    /// Throws TrainerError(BadModel) for a kind that is not known.
    explicit TokenDecoder(const JsonField& json);

    std::string decode(std::vector<std::string> tokens) const;

private:
    struct ByteLevel {};
    struct ByteFallback {};
    struct Fuse {};
    struct Replace {
        Regex pattern;
        std::string content;
    };
    struct Strip {
        std::string content; ///< one character
        int start, stop;
    };
    struct Metaspace {
        std::string replacement; ///< one character
        bool dropFirst;
    };
    using Step = std::variant<ByteLevel, ByteFallback, Fuse, Replace, Strip, Metaspace>;
    using Tokens = std::vector<std::string>;

    void add(const JsonField& json);
    static void run(const ByteLevel& step, Tokens& tokens);
    static void run(const ByteFallback& step, Tokens& tokens);
    static void run(const Fuse& step, Tokens& tokens);
    static void run(const Replace& step, Tokens& tokens);
    static void run(const Strip& step, Tokens& tokens);
    static void run(const Metaspace& step, Tokens& tokens);

    std::vector<Step> m_steps;
    bool m_joinsWithSpaces = true;
};

} // namespace coxswain::text
