// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/samples.h"

#include "trainer/dist/errors.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace coxswain::trainer {
namespace {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

[[noreturn]] void bad(const std::string& message) {
    throw TrainerError(wire::ExitCode::BadData, message);
}

Ids readIds(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array() ||
        !std::all_of(found->begin(), found->end(), [](const json& id) { return id.is_number_integer(); }))
        bad(std::string("\"") + key + "\": expected a list of whole numbers");
    return found->get<Ids>();
}

void requireInVocabulary(const Ids& ids, const char* key, std::int64_t size) {
    for (const auto id : ids)
        if ((id < 0 || id >= size) && !(id == -100 && std::string_view(key) == "labels"))
            bad(std::string("\"") + key + "\": expected 0 to " + std::to_string(size - 1) + ", found " +
                std::to_string(id));
}

Sample readSample(const std::string& line, const EncodeText& encode) {
    // What only begins like an object is a text.
    const json object = line[0] == '{' ? json::parse(line, nullptr, false) : json();
    Sample sample;
    if (object.is_object() && object.contains("tokens")) {
        sample.tokens = readIds(object, "tokens");
        sample.labels = object.contains("labels") ? readIds(object, "labels") : sample.tokens;
        if (sample.labels.size() != sample.tokens.size())
            bad("expected as many labels as tokens, found " + std::to_string(sample.labels.size()) + " and " +
                std::to_string(sample.tokens.size()));
        return sample;
    }
    if (object.is_object() && !(object.contains("text") && object["text"].is_string()))
        bad(R"(expected {"tokens": [...], "labels": [...]} or {"text": "..."})");
    const auto ids = encode(object.is_object() ? object["text"].get<std::string>() : line);
    sample.tokens.assign(ids.begin(), ids.end());
    sample.labels = sample.tokens;
    return sample;
}

} // namespace

std::int64_t Sample::targets() const {
    return static_cast<std::int64_t>(labels.size()) - std::count(labels.begin(), labels.end(), -100);
}

std::vector<Sample> readSamples(std::istream& stream, std::int64_t vocabularySize, std::int64_t longest,
                                const EncodeText& encode) {
    std::vector<Sample> samples;
    std::int64_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        if (line.ends_with('\r'))
            line.pop_back();
        if (line.find_first_not_of(" \t") == std::string::npos)
            continue;
        try {
            Sample sample = readSample(line, encode);
            if (sample.tokens.empty())
                bad("it has no tokens");
            if (static_cast<std::int64_t>(sample.tokens.size()) > longest)
                bad("it has " + std::to_string(sample.tokens.size()) + " tokens, more than the model's " +
                    std::to_string(longest) + " positions");
            requireInVocabulary(sample.tokens, "tokens", vocabularySize);
            requireInVocabulary(sample.labels, "labels", vocabularySize);
            std::rotate(sample.labels.begin(), sample.labels.begin() + 1, sample.labels.end());
            sample.labels.back() = -100;
            samples.push_back(std::move(sample));
        } catch (const TrainerError& error) {
            throw TrainerError(error.code(), "line " + std::to_string(number) + ": " + error.what());
        }
    }
    if (samples.empty())
        bad("there is no sample in it");
    return samples;
}

} // namespace coxswain::trainer
