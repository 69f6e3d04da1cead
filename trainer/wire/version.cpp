// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/version.h"

#include <charconv>
#include <optional>

namespace coxswain::wire {
namespace {

struct Parts {
    std::string_view name;
    int major = 0;
    int minor = 0;
};

std::optional<int> wholeNumber(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0)
        return std::nullopt;
    return value;
}

std::optional<Parts> split(std::string_view format) {
    const auto slash = format.rfind('/');
    const auto dot = format.rfind('.');
    if (slash == std::string_view::npos || dot == std::string_view::npos || dot < slash)
        return std::nullopt;
    const auto major = wholeNumber(format.substr(slash + 1, dot - slash - 1));
    const auto minor = wholeNumber(format.substr(dot + 1));
    if (!major || !minor)
        return std::nullopt;
    return Parts{format.substr(0, slash), *major, *minor};
}

} // namespace

FormatMatch matchFormat(std::string_view seen, std::string_view known) {
    const auto s = split(seen);
    const auto k = split(known);
    if (!s || !k || s->name != k->name)
        return FormatMatch::OtherFormat;
    if (s->major != k->major)
        return FormatMatch::OtherMajor;
    if (s->minor == k->minor)
        return FormatMatch::Same;
    return s->minor < k->minor ? FormatMatch::OlderMinor : FormatMatch::NewerMinor;
}

bool isReadable(FormatMatch match) {
    return match != FormatMatch::OtherMajor && match != FormatMatch::OtherFormat;
}

std::string formatMismatch(std::string_view seen, std::string_view known) {
    std::string text = "expected format \"" + std::string(known) + "\"";
    if (seen.empty())
        return text + ", but the file names none";
    text += ", but the file says \"" + std::string(seen) + "\"";
    if (matchFormat(seen, known) == FormatMatch::OtherMajor)
        text += ": it was written by another generation of Coxswain, use that one to read it";
    return text;
}

} // namespace coxswain::wire
