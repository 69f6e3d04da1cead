// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/pretokenizer.h"

#include "trainer/text/normalizer.h"
#include "trainer/text/unicode.h"
#include "trainer/text/utf8.h"

#include <map>

namespace coxswain::text {
namespace {

// GPT-2's (github.com/openai/gpt-2, src/encoder.py).
constexpr std::string_view byteLevelPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

void addPart(std::vector<Part>& parts, std::size_t begin, std::size_t end, bool match) {
    parts.push_back({begin, end, match});
}

/// Every character for which is(point) is a match of its own.
template <class Is>
void partsByCharacter(std::string_view text, std::vector<Part>& parts, Is is) {
    parts.clear();
    std::size_t done = 0;
    const char* begin = text.data();
    for (const char* at = begin; at < begin + text.size();) {
        const auto from = static_cast<std::size_t>(at - begin);
        if (!is(nextCodePoint(at)))
            continue;
        if (done < from)
            addPart(parts, done, from, false);
        done = static_cast<std::size_t>(at - begin);
        addPart(parts, from, done, true);
    }
    if (done < text.size())
        addPart(parts, done, text.size(), false);
}

/// Joins each part to the one before it where join(part's match, match before) says so.
template <class Join>
void fold(std::vector<Part>& parts, Join join) {
    bool before = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part part = parts[i];
        if (kept > 0 && join(part.match, before))
            parts[kept - 1].end = part.end;
        else
            parts[kept++] = part;
        before = part.match;
    }
    parts.resize(kept);
}

/// The same from the other end: joins each part to the one behind it.
void foldToNext(std::vector<Part>& parts) {
    bool behind = false;
    std::size_t kept = parts.size();
    for (std::size_t i = parts.size(); i-- > 0;) {
        const Part part = parts[i];
        if (kept < parts.size() && part.match && !behind)
            parts[kept].begin = part.begin;
        else
            parts[--kept] = part;
        behind = part.match;
    }
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(kept));
}

std::string utf8Of(char32_t point) {
    std::string text;
    appendUtf8(text, point);
    return text;
}

} // namespace

void cutAtParts(const Piece& text, std::vector<Part>& parts, SplitBehavior behavior,
                std::vector<Piece>& pieces) {
    switch (behavior) {
    case SplitBehavior::Isolated:
    case SplitBehavior::Removed:
        break;
    case SplitBehavior::Contiguous:
        fold(parts, [](bool match, bool before) { return match == before; });
        break;
    case SplitBehavior::MergedWithPrevious:
        fold(parts, [](bool match, bool before) { return match && !before; });
        break;
    case SplitBehavior::MergedWithNext:
        foldToNext(parts);
        break;
    }
    for (const auto& part : parts)
        if (part.begin < part.end && !(behavior == SplitBehavior::Removed && part.match))
            pieces.push_back(
                {text.text.substr(part.begin, part.end - part.begin), text.first && part.begin == 0});
}

PreTokenizer::PreTokenizer(const JsonField& json) {
    add(json);
}

void PreTokenizer::add(const JsonField& json) {
    const auto type = json.at("type");
    const std::string name = type.text();
    if (m_byteLevel)
        type.refuse("nothing behind ByteLevel: what splits its characters is not supported");
    if (name == "Sequence") {
        json.expectOnly({"type", "pretokenizers"});
        for (const auto& one : json.at("pretokenizers").elements())
            add(one);
    } else if (name == "Split") {
        m_steps.push_back(readSplit(json));
    } else if (name == "ByteLevel") {
        addByteLevel(json);
    } else if (name == "Digits") {
        json.expectOnly({"type", "individual_digits"});
        m_steps.push_back(Digits{json.at("individual_digits").flag()});
    } else if (name == "Metaspace") {
        m_steps.push_back(readMetaspace(json));
    } else if (name == "Whitespace") {
        json.expectOnly({"type"});
        m_steps.push_back(Split{Regex::fromPattern(R"(\w+|[^\w\s]+)"), SplitBehavior::Removed, true});
    } else if (name == "WhitespaceSplit") {
        json.expectOnly({"type"});
        m_steps.push_back(WhitespaceSplit{});
    } else {
        type.refuse("Split, ByteLevel, Digits, Metaspace, Whitespace, WhitespaceSplit or Sequence: no other "
                    "pre-tokenizer is supported");
    }
}

void PreTokenizer::addByteLevel(const JsonField& json) {
    json.expectOnly({"type", "add_prefix_space", "trim_offsets", "use_regex"});
    if (json.at("add_prefix_space").flag())
        m_steps.push_back(Spaces{});
    if (json.flagOr("use_regex", true))
        m_steps.push_back(Split{Regex::fromPattern(byteLevelPattern), SplitBehavior::Isolated, false});
    m_byteLevel = true;
}

PreTokenizer::Split PreTokenizer::readSplit(const JsonField& json) {
    static const std::map<std::string, SplitBehavior> behaviors{
        {"Isolated", SplitBehavior::Isolated},
        {"Removed", SplitBehavior::Removed},
        {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
        {"MergedWithNext", SplitBehavior::MergedWithNext},
        {"Contiguous", SplitBehavior::Contiguous}};
    json.expectOnly({"type", "pattern", "behavior", "invert"});
    const auto behavior = json.at("behavior");
    const auto found = behaviors.find(behavior.text());
    if (found == behaviors.end())
        behavior.refuse("Isolated, Removed, MergedWithPrevious, MergedWithNext or Contiguous");
    return {readPattern(json.at("pattern")), found->second, json.at("invert").flag()};
}

PreTokenizer::Metaspace PreTokenizer::readMetaspace(const JsonField& json) {
    using Prepend = Metaspace::Prepend;
    json.expectOnly({"type", "replacement", "add_prefix_space", "prepend_scheme", "split", "str_rep"});
    auto prepend = Prepend::Always;
    if (const auto scheme = json.find("prepend_scheme")) {
        const std::string name = scheme->text();
        if (name != "first" && name != "never" && name != "always")
            scheme->refuse("first, never or always");
        prepend = name == "first" ? Prepend::First : name == "never" ? Prepend::Never : Prepend::Always;
    }
    if (!json.flagOr("add_prefix_space", true) && prepend != Prepend::Never)
        json.at("add_prefix_space").refuse("true, or a prepend_scheme of never beside it");
    return {utf8Of(json.at("replacement").character()), prepend, json.flagOr("split", true)};
}

void PreTokenizer::apply(std::vector<Piece>& pieces, bool recent, SplitMemory& memory) const {
    for (const auto& step : m_steps) {
        memory.next.clear();
        std::visit(
            [&](const auto& one) {
                for (const auto& piece : pieces)
                    run(one, piece, recent, memory);
            },
            step);
        std::swap(pieces, memory.next);
    }
}

void PreTokenizer::run(const Split& step, const Piece& piece, bool recent, SplitMemory& memory) {
    auto& parts = memory.parts;
    parts.clear();
    std::size_t done = 0;
    step.pattern.findAll(memory.matching, piece.text, recent, [&](std::size_t begin, std::size_t end) {
        if (done != begin)
            addPart(parts, done, begin, step.invert);
        addPart(parts, begin, end, !step.invert);
        done = end;
    });
    if (done != piece.text.size())
        addPart(parts, done, piece.text.size(), step.invert);
    cutAtParts(piece, parts, step.behavior, memory.next);
}

void PreTokenizer::run(const Spaces&, const Piece& piece, bool, SplitMemory& memory) {
    if (piece.text.starts_with(' ')) {
        memory.next.push_back(piece);
        return;
    }
    memory.made.push_back(' ' + std::string(piece.text));
    memory.next.push_back({memory.made.back(), piece.first});
}

void PreTokenizer::run(const Digits& step, const Piece& piece, bool, SplitMemory& memory) {
    partsByCharacter(piece.text, memory.parts, isNumeric);
    cutAtParts(piece, memory.parts, step.individual ? SplitBehavior::Isolated : SplitBehavior::Contiguous,
               memory.next);
}

void PreTokenizer::run(const Metaspace& step, const Piece& piece, bool, SplitMemory& memory) {
    std::string text;
    for (const char c : piece.text) {
        if (c == ' ')
            text += step.replacement;
        else
            text += c;
    }
    const bool wanted = step.prepend == Metaspace::Prepend::Always ||
                        (step.prepend == Metaspace::Prepend::First && piece.first);
    if (wanted && !text.starts_with(step.replacement))
        text.insert(0, step.replacement);
    memory.made.push_back(std::move(text));
    const Piece changed{memory.made.back(), piece.first};
    if (!step.split) {
        memory.next.push_back(changed);
        return;
    }
    const char* at = step.replacement.data();
    const char32_t mark = nextCodePoint(at);
    partsByCharacter(changed.text, memory.parts, [mark](char32_t point) { return point == mark; });
    cutAtParts(changed, memory.parts, SplitBehavior::MergedWithNext, memory.next);
}

void PreTokenizer::run(const WhitespaceSplit&, const Piece& piece, bool, SplitMemory& memory) {
    partsByCharacter(piece.text, memory.parts, isWhitespace);
    cutAtParts(piece, memory.parts, SplitBehavior::Removed, memory.next);
}

} // namespace coxswain::text
