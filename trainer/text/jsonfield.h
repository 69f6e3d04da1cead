// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace coxswain::text {

/// A value of a JSON file and where it stands, so that every fault names file, field and what was found. All
/// of it throws TrainerError(BadModel). The JSON and the file's name must outlive it.
class JsonField {
public:
    JsonField(const nlohmann::json& value, const std::string& file) : m_value(&value), m_file(&file) {}

    const nlohmann::json& value() const { return *m_value; }

    /// The member `key`, which must be there.
    JsonField at(const char* key) const;
    /// The member `key`; nothing when it is absent or null.
    std::optional<JsonField> find(const char* key) const;
    /// The elements of an array.
    std::vector<JsonField> elements() const;
    /// Refuses members that are not in `keys`: what is not understood must not be passed over in silence.
    void expectOnly(std::initializer_list<const char*> keys) const;

    std::string text() const;
    bool flag() const;
    std::int32_t number() const; ///< not negative
    char32_t character() const;  ///< a text of one character
    bool flagOr(const char* key, bool otherwise) const;

    /// Says what was expected here, what was found, and what to do.
    [[noreturn]] void refuse(const std::string& expected) const;

private:
    JsonField(const nlohmann::json& value, const std::string& file, std::string path)
        : m_value(&value), m_file(&file), m_path(std::move(path)) {}

    const nlohmann::json* m_value;
    const std::string* m_file;
    std::string m_path;
};

} // namespace coxswain::text
