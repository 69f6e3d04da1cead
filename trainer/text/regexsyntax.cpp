// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/regexsyntax.h"

#include "trainer/text/unicode.h"
#include "trainer/text/utf8.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace coxswain::text {
namespace {

// Not Mn: U+1171E left it, which no class for PCRE2 can say.
constexpr std::array<std::string_view, 40> properties{
    "L",  "Lu", "Ll", "Lt",  "Lm",       "Lo",       "M",      "Mc",    "Me",    "N",
    "Nd", "Nl", "No", "P",   "Pc",       "Pd",       "Ps",     "Pe",    "Pi",    "Pf",
    "Po", "S",  "Sm", "Sc",  "Sk",       "So",       "Z",      "Zs",    "Zl",    "Zp",
    "Cc", "Cf", "Co", "Han", "Hiragana", "Katakana", "Hangul", "Latin", "Greek", "Cyrillic"};

// What Unicode 15 and 16 added to the scripts (Scripts.txt).
struct ScriptRange {
    std::string_view script;
    char32_t first, last;
};
constexpr ScriptRange recentScripts[] = {
    {"Han", 0x2B739, 0x2B739},      {"Han", 0x2EBF0, 0x2EE5D},      {"Han", 0x31350, 0x323AF},
    {"Hiragana", 0x1B132, 0x1B132}, {"Katakana", 0x1B155, 0x1B155}, {"Latin", 0xA7CB, 0xA7CD},
    {"Latin", 0xA7DA, 0xA7DC},      {"Latin", 0x1DF25, 0x1DF2A},    {"Cyrillic", 0x1C89, 0x1C8A},
    {"Cyrillic", 0x1E030, 0x1E06D}, {"Cyrillic", 0x1E08F, 0x1E08F}};

constexpr std::string_view whitespace =
    R"(\t-\r\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

std::string codePoint(char32_t point) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (; point != 0 || text.empty(); point >>= 4)
        text.insert(text.begin(), digits[point & 15]);
    return "\\x{" + text + '}';
}

class Translator {
public:
    Translator(std::string_view pattern, bool named) : m_pattern(pattern), m_named(named) {}

    std::string run() {
        if (m_pattern.substr(0, 4) == "(?i)") { // elsewhere it reaches over alternatives in one syntax only
            m_out = "(?i)";
            m_at = 4;
        }
        while (m_at < m_pattern.size())
            element();
        return m_out;
    }

private:
    /// What one element of a class matches: `items` as they stand in a PCRE2 class, or all but these.
    struct Set {
        std::string items;
        bool negated = false;
    };

    [[noreturn]] void refuse(const std::string& what) const {
        throw std::invalid_argument("the pattern has " + what + " at byte " + std::to_string(m_at) +
                                    ", which is not supported: " + std::string(m_pattern));
    }
    char peek(std::size_t ahead = 0) const {
        return m_at + ahead < m_pattern.size() ? m_pattern[m_at + ahead] : '\0';
    }
    bool starts(std::string_view with) const { return m_pattern.substr(m_at, with.size()) == with; }
    void copy(std::size_t bytes) {
        m_out += m_pattern.substr(m_at, bytes);
        m_at += bytes;
    }

    void element() {
        switch (peek()) {
        case '\\':
            escape();
            break;
        case '[':
            characterClass();
            break;
        case '(':
            group();
            break;
        case '{':
            repeat();
            break;
        default: // literals, alternatives, anchors, *, + and ? with what follows them
            copy(1);
        }
    }

    void group() {
        if (peek(1) != '?')
            return copy(1);
        for (const std::string_view known : {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?-i:"})
            if (starts(known))
                return copy(known.size());
        refuse("a kind of group");
    }

    void repeat() {
        std::size_t length = 1;
        const auto digits = [&] {
            const std::size_t from = length;
            while (peek(length) >= '0' && peek(length) <= '9')
                ++length;
            return length > from;
        };
        bool fine = digits();
        if (peek(length) == ',') {
            ++length;
            digits();
        }
        fine = fine && peek(length) == '}';
        if (!fine || peek(length + 1) == '+')
            refuse("a repeat that the two syntaxes read differently");
        copy(length + 1);
    }

    void escape() {
        switch (peek(1)) {
        case 'A':
        case 'z':
            return copy(2);
        default:
            const Set set = escapedSet(false);
            const bool single = !set.negated && (set.items.size() == 1 || set.items[0] == '\\') &&
                                set.items.find("\\", 1) == std::string::npos &&
                                set.items.find('-') == std::string::npos;
            m_out += single ? set.items : (set.negated ? "[^" : "[") + set.items + ']';
        }
    }

    Set escapedSet(bool inClass) {
        const char kind = peek(1);
        switch (kind) {
        case 's':
        case 'S':
            m_at += 2;
            return {m_named ? std::string(whitespace) : "\\s", kind == 'S'};
        case 'd':
        case 'D':
            m_at += 2;
            return {property("Nd"), kind == 'D'};
        case 'w':
        case 'W':
            m_at += 2;
            return {property("L") + property("M") + property("Nd") + property("Nl") + property("Pc") +
                        // Oniguruma counts six characters of Latin-1 as parts of words, but not in a class
                        (inClass ? "" : R"(\xb2\xb3\xb9\xbc-\xbe)") +
                        R"(\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169})"
                        R"(\x{1f170}-\x{1f189})",
                    kind == 'W'};
        case 'p':
        case 'P':
            return namedProperty();
        default:
            return {escapedCharacter(), false};
        }
    }

    Set namedProperty() {
        const bool upper = peek(1) == 'P';
        const std::size_t end = m_pattern.find('}', m_at);
        if (peek(2) != '{' || end == std::string_view::npos)
            refuse("a property without braces");
        std::string_view name = m_pattern.substr(m_at + 3, end - m_at - 3);
        const bool caret = !name.empty() && name[0] == '^';
        if (caret)
            name.remove_prefix(1);
        if (std::find(properties.begin(), properties.end(), name) == properties.end())
            refuse("the property " + std::string(name));
        m_at = end + 1;
        return {property(name), upper != caret};
    }

    std::string property(std::string_view name) const {
        // PCRE2 takes a bare script's name for its extensions too, which hold punctuation; Oniguruma does
        // not.
        const bool script = name.size() > 2;
        std::string items = (script ? "\\p{sc:" : "\\p{") + std::string(name) + '}';
        if (!m_named)
            return items;
        const auto add = [&](char32_t first, char32_t last) {
            items += codePoint(first) + '-' + codePoint(last);
        };
        for (const auto& range : recentRanges())
            if (std::string_view(range.category).substr(0, name.size()) == name)
                add(range.first, range.last);
        for (const auto& range : recentScripts)
            if (range.script == name)
                add(range.first, range.last);
        return items;
    }

    std::string escapedCharacter() {
        const char kind = peek(1);
        const auto simple = std::string_view("tnrfae").find(kind);
        if (kind != '\0' && simple != std::string_view::npos) {
            m_at += 2;
            return std::string{'\\', kind};
        }
        if (kind == 'v') { // PCRE2 has a class under this name
            m_at += 2;
            return "\\x{b}";
        }
        if (kind == 'u' || kind == 'x')
            return numberedCharacter(kind);
        if (kind == '\0' || (kind >= '0' && kind <= '9') || (kind >= 'A' && kind <= 'Z') ||
            (kind >= 'a' && kind <= 'z'))
            refuse(std::string("the escape \\") + kind);
        const std::size_t length = 1 + characterLength(kind);
        std::string text(m_pattern.substr(m_at, length));
        m_at += length;
        return text;
    }

    std::string numberedCharacter(char kind) {
        const bool braces = kind == 'x' && peek(2) == '{';
        const std::size_t from = m_at + (braces ? 3 : 2);
        const std::size_t end = braces ? m_pattern.find('}', m_at) : from + (kind == 'u' ? 4 : 2);
        const std::string_view digits = m_pattern.substr(std::min(from, m_pattern.size()), end - from);
        if (end > m_pattern.size() || digits.empty() || digits.size() > 6 ||
            digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)
            refuse("a damaged escape");
        if (kind == 'x' && !braces && digits[0] > '7')
            refuse("an escape for a byte that is no character");
        m_at = end + (braces ? 1 : 0);
        return "\\x{" + std::string(digits) + '}';
    }

    /// A class without \S, \P and the like stays one; with them it becomes alternatives of one character.
    void characterClass() {
        ++m_at;
        const bool negated = peek() == '^';
        m_at += negated ? 1 : 0;
        std::string items;
        std::vector<std::string> complements;
        if (peek() == ']')
            refuse("an empty class");
        while (peek() != ']') {
            if (m_at >= m_pattern.size())
                refuse("a class without an end");
            if (peek() == '[' || starts("&&"))
                refuse("a class within a class");
            if (peek() != '\\') {
                const std::size_t length = characterLength(peek());
                items += m_pattern.substr(m_at, length);
                m_at += length;
                continue;
            }
            const Set set = escapedSet(true);
            if (set.negated)
                complements.push_back("[^" + set.items + ']');
            else
                items += set.items;
        }
        ++m_at;
        if (complements.empty()) {
            m_out += (negated ? "[^" : "[") + items + ']';
            return;
        }
        std::string any = items.empty() ? "" : '[' + items + ']';
        for (const auto& one : complements)
            any += (any.empty() ? "" : "|") + one;
        m_out += negated ? "(?:(?!" + any + ")(?s:.))" : "(?:" + any + ')';
    }

    std::string_view m_pattern;
    bool m_named;
    std::size_t m_at = 0;
    std::string m_out;
};

} // namespace

std::string toPcre2Syntax(std::string_view pattern, bool named) {
    return Translator(pattern, named).run();
}

} // namespace coxswain::text
