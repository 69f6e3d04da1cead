// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/normalform.h"

#include "trainer/text/utf8.h"

#include <utf8proc.h>

#include <bitset>
#include <cstdlib>
#include <memory>
#include <new>

namespace coxswain::text {
namespace {

constexpr char32_t codePoints = 0x110000;

// Characters that Unicode 10 to 16 gave a combining class, a decomposition or a composition
// (UnicodeData.txt).
struct Range {
    char32_t first, last;
};
constexpr Range later[] = {
    {0x7FD, 0x7FD},     {0x897, 0x89F},     {0x8CA, 0x8D3},     {0x9FE, 0x9FE},     {0xC3C, 0xC3C},
    {0xD3B, 0xD3C},     {0xEBA, 0xEBA},     {0x1715, 0x1715},   {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFA},
    {0x32FF, 0x32FF},   {0xA7F1, 0xA7F4},   {0xA82C, 0xA82C},   {0xAB69, 0xAB69},   {0x105C0, 0x105F3},
    {0x10781, 0x107BA}, {0x10D24, 0x10D27}, {0x10D69, 0x10D6D}, {0x10EAB, 0x10EAC}, {0x10EFA, 0x10EFF},
    {0x10F46, 0x10F50}, {0x10F82, 0x10F85}, {0x11070, 0x11070}, {0x1133B, 0x1133B}, {0x11380, 0x113E2},
    {0x1145E, 0x1145E}, {0x11839, 0x1183A}, {0x11930, 0x11943}, {0x119E0, 0x119E0}, {0x11A34, 0x11A34},
    {0x11A47, 0x11A47}, {0x11A99, 0x11A99}, {0x11D42, 0x11D45}, {0x11D97, 0x11D97}, {0x11F41, 0x11F42},
    {0x16100, 0x1612F}, {0x16D63, 0x16D6A}, {0x16FF0, 0x16FF1}, {0x1CCD6, 0x1CCF9}, {0x1E030, 0x1E08F},
    {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE}, {0x1E2EC, 0x1E2EF}, {0x1E4EC, 0x1E4EF}, {0x1E5EE, 0x1E5EF},
    {0x1F16C, 0x1F16C}, {0x1FBF0, 0x1FBF9}};

using Set = std::bitset<codePoints>;

/// The normal form of `text`, all of it handed to utf8proc.
void appendWhole(std::string& result, std::string_view text, bool compatible) {
    utf8proc_uint8_t* made = nullptr;
    const int options = UTF8PROC_STABLE | UTF8PROC_COMPOSE | (compatible ? UTF8PROC_COMPAT : 0);
    const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &made,
                                   static_cast<utf8proc_option_t>(options));
    const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owned(made, std::free);
    if (size < 0)
        throw std::bad_alloc(); // the only fault that well-formed text can meet
    result.append(reinterpret_cast<const char*>(made), static_cast<std::size_t>(size));
}

/// The code points before which texts may be cut for normalization, and which stay as they are when nothing
/// follows that composes: starters that are their own normal form and do not compose with what is before
/// them.
struct Boundaries {
    Set canonical, compatible;
    Set late; ///< texts may be cut behind these too

    Boundaries() {
        canonical.set();
        compatible.set();
        for (char32_t point = 0xA0; point < 0x30000; ++point) // nothing further up takes part
            if (point < 0xAC00 || point > 0xDFFF) // nor syllables of Hangul; surrogates do not occur
                look(point);
        for (char32_t jamo = 0x1161; jamo <= 0x1175; ++jamo)
            exclude(jamo);
        for (char32_t jamo = 0x11A8; jamo <= 0x11C2; ++jamo)
            exclude(jamo);
        for (const auto& range : later)
            for (char32_t point = range.first; point <= range.last; ++point) {
                late.set(point);
                canonical.set(point);
                compatible.set(point);
            }
    }

private:
    void exclude(char32_t point) {
        canonical.reset(point);
        compatible.reset(point);
    }
    static bool isOwnForm(char32_t point, bool compatible) {
        std::string text, form;
        appendUtf8(text, point);
        appendWhole(form, text, compatible);
        return text == form;
    }
    void look(char32_t point) {
        const auto& properties = *utf8proc_get_property(static_cast<utf8proc_int32_t>(point));
        if (properties.combining_class != 0)
            exclude(point);
        utf8proc_int32_t parts[32];
        int last = 0;
        const auto decomposes = [&](int options, utf8proc_ssize_t& count) {
            count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point), parts, 32,
                                            static_cast<utf8proc_option_t>(options), &last);
            return count != 1 || parts[0] != static_cast<utf8proc_int32_t>(point);
        };
        utf8proc_ssize_t count = 0;
        if (decomposes(UTF8PROC_DECOMPOSE, count)) {
            // Any part but the first may be the second of a pair that composes.
            for (utf8proc_ssize_t i = 1; i < count; ++i)
                exclude(static_cast<char32_t>(parts[i]));
            if (!isOwnForm(point, false))
                canonical.reset(point);
        }
        if (decomposes(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, count) && !isOwnForm(point, true))
            compatible.reset(point);
    }
};

const Boundaries& boundaries() {
    static const Boundaries made;
    return made;
}

} // namespace

bool isNormal(std::string_view text, bool compatible) {
    const char* at = text.data();
    const char* end = at + text.size();
    const char32_t limit = compatible ? 0xA0 : 0x300; // Latin-1 and Latin Extended are composed already
    const Set* set = nullptr;
    while (at < end) {
        if (static_cast<unsigned char>(*at) < 0x80) {
            ++at;
            continue;
        }
        const char32_t point = nextCodePoint(at);
        if (point < limit)
            continue;
        if (!set)
            set = compatible ? &boundaries().compatible : &boundaries().canonical;
        if (!set->test(point))
            return false;
    }
    return true;
}

void appendNormalized(std::string& result, std::string_view text, bool compatible) {
    const auto& known = boundaries();
    const Set& set = compatible ? known.compatible : known.canonical;
    const char* end = text.data() + text.size();
    const char* done = text.data();     // up to here the result has it
    const char* boundary = text.data(); // the last place before `at` where the text may be cut
    bool pending = false;               // what is between boundary and `at` has to be normalized
    for (const char* at = text.data(); at < end;) {
        const char* next = at;
        const char32_t point = nextCodePoint(next);
        if (!set.test(point)) {
            if (!pending) {
                result.append(done, boundary);
                done = boundary;
                pending = true;
            }
        } else {
            if (pending)
                appendWhole(result, {done, static_cast<std::size_t>(at - done)}, compatible);
            if (pending)
                done = at;
            pending = false;
            boundary = known.late.test(point) ? next : at;
        }
        at = next;
    }
    if (pending)
        appendWhole(result, {done, static_cast<std::size_t>(end - done)}, compatible);
    else
        result.append(done, end);
}

} // namespace coxswain::text
