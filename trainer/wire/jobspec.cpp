// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/jobspec.h"

#include "trainer/wire/jobfields.h"
#include "trainer/wire/version.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <type_traits>

namespace coxswain::wire {
namespace {

using nlohmann::json;

std::vector<std::string> splitPath(std::string_view path) {
    std::vector<std::string> parts;
    std::istringstream stream{std::string(path)};
    for (std::string part; std::getline(stream, part, '.');)
        parts.push_back(part);
    return parts;
}

/// The value at a dotted path; nullptr where it, or an object on the way, is absent.
const json* find(const json& document, std::string_view path) {
    const json* at = &document;
    for (const auto& part : splitPath(path)) {
        if (!at->is_object())
            return nullptr;
        const auto next = at->find(part);
        if (next == at->end())
            return nullptr;
        at = &*next;
    }
    return at;
}

std::string shown(const json& value) {
    auto text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

std::string numberText(double value) {
    std::ostringstream stream;
    stream.precision(16);
    stream << value;
    return stream.str();
}

/// Levenshtein distance, for "did you mean".
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

class ReadFields {
public:
    ReadFields(const json& document, std::vector<FieldError>& errors)
        : m_document(document), m_errors(errors) {}

    void text(const FieldText& field, std::string& value) {
        const json* found = find(m_document, field.path);
        if (!found)
            return;
        if (!found->is_string())
            return fail(field.path, "expected text", *found);
        value = found->get<std::string>();
        if (value.empty() || value.find('\n') != std::string::npos)
            fail(field.path, "expected one line of text", *found);
    }

    void flag(const FieldText& field, bool& value) {
        const json* found = find(m_document, field.path);
        if (!found)
            return;
        if (!found->is_boolean())
            return fail(field.path, "expected true or false", *found);
        value = found->get<bool>();
    }

    void choice(const FieldText& field, std::string& value, std::initializer_list<const char*> choices) {
        const json* found = find(m_document, field.path);
        if (!found)
            return;
        std::string expected = "expected one of";
        for (const char* option : choices) {
            if (found->is_string() && found->get_ref<const std::string&>() == option) {
                value = option;
                return;
            }
            expected += std::string(" \"") + option + '"';
        }
        fail(field.path, expected, *found);
    }

    template <class T>
    void number(const FieldText& field, T& value, const Limits& limits) {
        const json* found = find(m_document, field.path);
        if (!found)
            return;
        constexpr bool whole = std::is_integral_v<T>;
        const std::string range =
            std::string(limits.aboveMinimum ? "above " : "from ") + numberText(limits.minimum) +
            (limits.aboveMinimum ? " and at most " : " to ") + numberText(limits.maximum);
        const std::string expected =
            std::string("expected a ") + (whole ? "whole number " : "number ") + range;
        if (!found->is_number())
            return fail(field.path, expected, *found);
        const double seen = found->get<double>();
        const bool inRange =
            seen <= limits.maximum && (limits.aboveMinimum ? seen > limits.minimum : seen >= limits.minimum);
        if (!inRange || (whole && seen != std::floor(seen)))
            return fail(field.path, expected, *found);
        value =
            found->is_number_integer() ? static_cast<T>(found->get<std::int64_t>()) : static_cast<T>(seen);
    }

private:
    void fail(const char* path, const std::string& expected, const json& found) {
        m_errors.push_back({path, expected + ", found " + shown(found)});
    }
    const json& m_document;
    std::vector<FieldError>& m_errors;
};

class WriteFields {
public:
    explicit WriteFields(json& document) : m_document(document) {}
    void text(const FieldText& field, const std::string& value) { set(field.path, value); }
    void flag(const FieldText& field, bool value) { set(field.path, value); }
    void choice(const FieldText& field, const std::string& value, std::initializer_list<const char*>) {
        set(field.path, value);
    }
    template <class T>
    void number(const FieldText& field, const T& value, const Limits&) {
        set(field.path, value);
    }

private:
    void set(std::string_view path, json value) {
        json* at = &m_document;
        for (const auto& part : splitPath(path))
            at = &(*at)[part];
        *at = std::move(value);
    }
    json& m_document;
};

constexpr std::pair<Input::At, const char*> places[] = {
    {Input::At::Desktop, "desktop"}, {Input::At::Node, "node"}, {Input::At::Shared, "shared"}};

/// "PATH" is short for {"at": "desktop", "path": "PATH"}.
std::optional<Input> readInput(const json& value, const std::string& path, std::vector<FieldError>& errors) {
    if (value.is_string() && !value.get_ref<const std::string&>().empty())
        return Input{Input::At::Desktop, value.get<std::string>()};
    const std::string expected =
        R"(expected a path, or {"at": "desktop" or "node" or "shared", "path": "…"}, found )" + shown(value);
    if (!value.is_object() || !value.contains("at") || !value.contains("path") || value.size() != 2 ||
        !value["path"].is_string() || value["path"].get_ref<const std::string&>().empty()) {
        errors.push_back({path, expected});
        return std::nullopt;
    }
    for (const auto& [at, name] : places)
        if (value["at"] == name)
            return Input{at, value["path"].get<std::string>()};
    errors.push_back(
        {path + ".at", R"(expected "desktop", "node" or "shared", found )" + shown(value["at"])});
    return std::nullopt;
}

json inputToJson(const Input& input) {
    for (const auto& [at, name] : places)
        if (at == input.at)
            return {{"at", name}, {"path", input.path}};
    return nullptr;
}

void readModel(const json& document, JobSpec& spec, std::vector<FieldError>& errors) {
    const json* folder = find(document, "model.folder");
    const json* config = find(document, "model.config");
    if (!folder == !config) {
        errors.push_back({"model",
                          R"(expected either "folder" (a Hugging Face folder to start from) or "config" )"
                          R"((the contents of a config.json, to start from scratch))"});
        return;
    }
    if (folder)
        spec.model.folder = readInput(*folder, "model.folder", errors);
    else if (config->is_object() && config->contains("model_type"))
        spec.model.config = *config;
    else
        errors.push_back(
            {"model.config", R"(expected an object with "model_type", found )" + shown(*config)});
}

void readData(const json& document, JobSpec& spec, std::vector<FieldError>& errors) {
    const json* source = find(document, "data.source");
    if (!source)
        errors.push_back({"data.source", "missing: expected the path of a text file, one document a line"});
    else if (auto input = readInput(*source, "data.source", errors))
        spec.data.source = *input;
    if (const json* kind = find(document, "data.kind"); kind && *kind != "text")
        errors.push_back({"data.kind", R"(expected "text", found )" + shown(*kind)});
}

void readNodes(const json& document, JobSpec& spec, std::vector<FieldError>& errors) {
    const json* nodes = find(document, "nodes");
    if (!nodes)
        return;
    const bool good = nodes->is_array() && std::all_of(nodes->begin(), nodes->end(),
                                                       [](const json& node) { return node.is_string(); });
    if (good)
        spec.nodes = nodes->get<std::vector<std::string>>();
    else
        errors.push_back(
            {"nodes", R"(expected a list such as ["gpu[01-04]", "me@box:2222"], found )" + shown(*nodes)});
}

const std::set<std::string>& knownPaths() {
    static const std::set<std::string> paths = [] {
        std::set<std::string> list{"format",       "id",   "nodes",       "model",    "model.folder",
                                   "model.config", "data", "data.source", "data.kind"};
        for (const auto& field : jobFields()) {
            list.insert(field.path);
            if (const auto dot = field.path.find('.'); dot != std::string::npos)
                list.insert(field.path.substr(0, dot));
        }
        return list;
    }();
    return paths;
}

std::string unknownField(const std::string& path) {
    const std::string* nearest = nullptr;
    std::size_t best = 4;
    for (const auto& known : knownPaths())
        if (const auto d = distance(path, known); d < best) {
            best = d;
            nearest = &known;
        }
    return nearest ? "unknown field; did you mean \"" + *nearest + "\"?" : "unknown field";
}

void findUnknown(const json& object, const std::string& prefix, std::vector<FieldError>& errors) {
    for (const auto& [key, value] : object.items()) {
        const std::string path = prefix.empty() ? key : prefix + '.' + key;
        const bool known = knownPaths().contains(path);
        if (!known)
            errors.push_back({path, unknownField(path)});
        const bool group = path == "train" || path == "data" || path == "model" || path == "checkpoint" ||
                           path == "deadlines";
        if (group && !value.is_object())
            errors.push_back({path, "expected an object, found " + shown(value)});
        else if (group)
            findUnknown(value, path, errors);
    }
}

void checkTogether(const JobSpec& spec, std::vector<FieldError>& errors) {
    if (spec.train.finalLearningRate > spec.train.learningRate)
        errors.push_back({"train.final_learning_rate", "expected at most train.learning_rate"});
}

} // namespace

CheckedResult<JobSpec> parseJobSpec(const json& document) {
    if (!document.is_object())
        return tl::unexpected(std::vector{FieldError{"", "expected a JSON object"}});
    const json* format = find(document, "format");
    const std::string seen = format && format->is_string() ? format->get<std::string>() : "";
    const FormatMatch match = matchFormat(seen, jobFormat);
    if (!isReadable(match))
        return tl::unexpected(std::vector{FieldError{"format", formatMismatch(seen, jobFormat)}});
    std::vector<FieldError> errors;
    if (match != FormatMatch::NewerMinor) // see Note [Format versions]
        findUnknown(document, "", errors);
    JobSpec spec;
    ReadFields reader(document, errors);
    visitJobFields(spec, reader);
    readModel(document, spec, errors);
    readData(document, spec, errors);
    readNodes(document, spec, errors);
    if (const json* id = find(document, "id")) {
        if (id->is_string())
            spec.id = id->get<std::string>();
        else
            errors.push_back({"id", "expected text, found " + shown(*id)});
    }
    if (errors.empty())
        checkTogether(spec, errors);
    if (!errors.empty())
        return tl::unexpected(std::move(errors));
    return spec;
}

CheckedResult<JobSpec> parseJobText(std::string_view text) {
    try {
        return parseJobSpec(json::parse(text));
    } catch (const json::parse_error& e) {
        const auto before = text.substr(0, e.byte);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        return tl::unexpected(
            std::vector{FieldError{"", "not JSON: line " + std::to_string(line) + ": " + e.what()}});
    }
}

json toJson(const JobSpec& spec) {
    json document = {{"format", jobFormat}, {"nodes", spec.nodes}};
    if (!spec.id.empty())
        document["id"] = spec.id;
    if (spec.model.folder)
        document["model"] = {{"folder", inputToJson(*spec.model.folder)}};
    else
        document["model"] = {{"config", spec.model.config}};
    document["data"] = {{"source", inputToJson(spec.data.source)}, {"kind", spec.data.kind}};
    WriteFields writer(document);
    visitJobFields(spec, writer);
    return document;
}

Result<void> setField(json& document, std::string_view path, std::string_view value) {
    const auto parts = splitPath(path);
    if (parts.empty() || path.ends_with('.') ||
        std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.empty(); }))
        return tl::unexpected(FieldError{std::string(path), "expected a field such as train.steps"});
    const bool inConfig = path.starts_with("model.config.");
    if (!inConfig && !knownPaths().contains(std::string(path)))
        return tl::unexpected(FieldError{std::string(path), unknownField(std::string(path))});
    json* at = &document;
    for (const auto& part : parts) {
        if (!at->is_object() && !at->is_null())
            return tl::unexpected(
                FieldError{std::string(path), "lies inside something that is not an object"});
        at = &(*at)[part];
    }
    json parsed = json::parse(value, nullptr, false);
    *at = parsed.is_discarded() ? json(std::string(value)) : std::move(parsed);
    return {};
}

} // namespace coxswain::wire
