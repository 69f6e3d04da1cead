// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/text/jsonfield.h"
#include "trainer/text/regex.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace coxswain::text {

/// What happens to the matches of a delimiter. {Isolated}: a piece each; {Removed}: dropped;
/// {MergedWithPrevious, MergedWithNext}: joined to the neighbour; {Contiguous}: runs of matches are one
/// piece.
enum class SplitBehavior { Isolated, Removed, MergedWithPrevious, MergedWithNext, Contiguous };

/// A piece of a text, of which each piece makes tokens by itself.
struct Piece {
    std::string_view text;
    bool first = false; ///< stands at the very beginning of what was to be encoded
};

/// A part of a text that a pattern matches or passes over, in bytes.
struct Part {
    std::size_t begin, end;
    bool match;
};

/// Memory of a pre-tokenizer, kept between texts. Pieces may lie in `made`.
struct SplitMemory {
    MatchMemory matching;
    std::vector<Part> parts;
    std::vector<Piece> next;
    std::deque<std::string> made;
};

/// Cuts `text` at `parts`, which cover it; appends to `pieces`.
void cutAtParts(const Piece& text, std::vector<Part>& parts, SplitBehavior behavior,
                std::vector<Piece>& pieces);

/// The part "pre_tokenizer" of a tokenizer.json: Split, ByteLevel, Digits, Metaspace, Whitespace,
/// WhitespaceSplit and sequences of these, ByteLevel last. Immutable.
class PreTokenizer {
public:
    /// Leaves texts whole.
    PreTokenizer() = default;
    /// Throws TrainerError(BadModel) for a kind that is not known.
    explicit PreTokenizer(const JsonField& json);

    /// Replaces `pieces` by what they are split into, without empty ones. Where byteLevel() is true the texts
    /// are still bytes: they are not yet written as visible characters.
    void apply(std::vector<Piece>& pieces, bool recent, SplitMemory& memory) const;

    bool byteLevel() const { return m_byteLevel; }

private:
    struct Split {
        Regex pattern;
        SplitBehavior behavior;
        bool invert;
    };
    struct Spaces { ///< ByteLevel's add_prefix_space
    };
    struct Digits {
        bool individual;
    };
    struct Metaspace {
        std::string replacement;
        enum class Prepend { First, Never, Always } prepend;
        bool split;
    };
    struct WhitespaceSplit {};
    using Step = std::variant<Split, Spaces, Digits, Metaspace, WhitespaceSplit>;

    void add(const JsonField& json);
    void addByteLevel(const JsonField& json);
    static Split readSplit(const JsonField& json);
    static Metaspace readMetaspace(const JsonField& json);

    static void run(const Split& step, const Piece& piece, bool recent, SplitMemory& memory);
    static void run(const Spaces& step, const Piece& piece, bool recent, SplitMemory& memory);
    static void run(const Digits& step, const Piece& piece, bool recent, SplitMemory& memory);
    static void run(const Metaspace& step, const Piece& piece, bool recent, SplitMemory& memory);
    static void run(const WhitespaceSplit& step, const Piece& piece, bool recent, SplitMemory& memory);

    std::vector<Step> m_steps;
    bool m_byteLevel = false;
};

} // namespace coxswain::text
