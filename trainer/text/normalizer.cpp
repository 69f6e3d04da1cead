// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/normalizer.h"

#include "trainer/text/normalform.h"

#include <stdexcept>

namespace coxswain::text {

Regex readPattern(const JsonField& json) {
    json.expectOnly({"String", "Regex"});
    if (json.value().size() != 1)
        json.refuse("either String or Regex");
    try {
        if (const auto literal = json.find("String"))
            return Regex::fromLiteral(literal->text());
        return Regex::fromPattern(json.at("Regex").text());
    } catch (const std::invalid_argument& error) {
        json.refuse(std::string("a pattern that this version understands (") + error.what() + ")");
    }
}

Normalizer::Normalizer(const JsonField& json) {
    add(json);
}

void Normalizer::add(const JsonField& json) {
    const std::string type = json.at("type").text();
    if (type == "Sequence") {
        json.expectOnly({"type", "normalizers"});
        for (const auto& one : json.at("normalizers").elements())
            add(one);
    } else if (type == "NFC" || type == "NFKC") {
        json.expectOnly({"type"});
        m_steps.push_back(Unicode{type == "NFKC"});
    } else if (type == "Replace") {
        json.expectOnly({"type", "pattern", "content"});
        m_steps.push_back(Replace{readPattern(json.at("pattern")), json.at("content").text()});
    } else if (type == "Prepend") {
        json.expectOnly({"type", "prepend"});
        m_steps.push_back(Prepend{json.at("prepend").text()});
    } else {
        json.at("type").refuse("NFC, NFKC, Replace, Prepend or Sequence: no other normalizer is supported");
    }
}

std::string_view Normalizer::apply(std::string_view text, bool recent, MatchMemory& memory,
                                   std::string& buffer) const {
    std::string result;
    for (const auto& step : m_steps) {
        const bool changed =
            std::visit([&](const auto& one) { return run(one, text, recent, memory, result); }, step);
        if (changed) {
            std::swap(buffer, result);
            text = buffer;
        }
    }
    return text;
}

bool Normalizer::run(const Unicode& step, std::string_view text, bool, MatchMemory&, std::string& result) {
    if (isNormal(text, step.compatible))
        return false;
    result.clear();
    appendNormalized(result, text, step.compatible);
    return true;
}

bool Normalizer::run(const Replace& step, std::string_view text, bool recent, MatchMemory& memory,
                     std::string& result) {
    if (text.empty())
        return false;
    std::size_t done = 0;
    result.clear();
    step.pattern.findAll(memory, text, recent, [&](std::size_t begin, std::size_t end) {
        result.append(text, done, begin - done);
        result.append(step.content);
        done = end;
    });
    if (done == 0 && result.empty())
        return false;
    result.append(text.substr(done));
    return true;
}

bool Normalizer::run(const Prepend& step, std::string_view text, bool, MatchMemory&, std::string& result) {
    if (text.empty())
        return false;
    result = step.content;
    result.append(text);
    return true;
}

} // namespace coxswain::text
