// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/jsonfield.h"

#include "trainer/dist/errors.h"
#include "trainer/text/utf8.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace coxswain::text {

using nlohmann::json;

void JsonField::refuse(const std::string& expected) const {
    std::string found = m_value->dump(-1, ' ', false, json::error_handler_t::replace);
    if (found.size() > 120)
        found = found.substr(0, 120) + "…";
    throw trainer::TrainerError(wire::ExitCode::BadModel, *m_file + ": " +
                                                              (m_path.empty() ? "the file" : m_path) +
                                                              ": expected " + expected + ", found " + found);
}

JsonField JsonField::at(const char* key) const {
    if (!m_value->is_object())
        refuse("an object");
    const auto found = m_value->find(key);
    if (found == m_value->end())
        refuse(std::string("a field \"") + key + '"');
    return {*found, *m_file, m_path.empty() ? key : m_path + '.' + key};
}

std::optional<JsonField> JsonField::find(const char* key) const {
    if (!m_value->is_object())
        refuse("an object");
    const auto found = m_value->find(key);
    if (found == m_value->end() || found->is_null())
        return std::nullopt;
    return at(key);
}

std::vector<JsonField> JsonField::elements() const {
    if (!m_value->is_array())
        refuse("an array");
    std::vector<JsonField> all;
    all.reserve(m_value->size());
    for (std::size_t i = 0; i < m_value->size(); ++i)
        all.push_back({(*m_value)[i], *m_file, m_path + '[' + std::to_string(i) + ']'});
    return all;
}

void JsonField::expectOnly(std::initializer_list<const char*> keys) const {
    if (!m_value->is_object())
        refuse("an object");
    for (const auto& [key, value] : m_value->items()) {
        const bool known = std::any_of(keys.begin(), keys.end(), [&name = key](const char* one) {
            return std::strcmp(one, name.c_str()) == 0;
        });
        if (!known)
            at(key.c_str()).refuse("no such field: this version does not know it");
    }
}

std::string JsonField::text() const {
    if (!m_value->is_string())
        refuse("a text");
    return m_value->get<std::string>();
}

bool JsonField::flag() const {
    if (!m_value->is_boolean())
        refuse("true or false");
    return m_value->get<bool>();
}

std::int32_t JsonField::number() const {
    if (!m_value->is_number_integer() || m_value->get<std::int64_t>() < 0 ||
        m_value->get<std::int64_t>() > std::numeric_limits<std::int32_t>::max())
        refuse("a whole number from 0 to 2147483647");
    return m_value->get<std::int32_t>();
}

char32_t JsonField::character() const {
    const std::string content = text();
    if (content.empty() || characterLength(content[0]) != content.size())
        refuse("a text of one character");
    const char* at = content.data();
    return nextCodePoint(at);
}

bool JsonField::flagOr(const char* key, bool otherwise) const {
    const auto field = find(key);
    return field ? field->flag() : otherwise;
}

} // namespace coxswain::text
