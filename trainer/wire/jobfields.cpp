// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/jobfields.h"

#include <initializer_list>
#include <type_traits>

namespace coxswain::wire {
namespace {

class Describe {
public:
    explicit Describe(std::vector<FieldInfo>& fields) : m_fields(fields) {}

    void text(const FieldText& field, std::string& value) {
        add(field, FieldInfo::Type::Text).defaultValue = value;
    }
    void flag(const FieldText& field, bool value) { add(field, FieldInfo::Type::Flag).defaultValue = value; }
    void choice(const FieldText& field, std::string& value, std::initializer_list<const char*> choices) {
        auto& info = add(field, FieldInfo::Type::Choice);
        info.choices.assign(choices.begin(), choices.end());
        info.defaultValue = value;
    }
    template <class T>
    void number(const FieldText& field, T& value, const Limits& limits) {
        auto& info = add(field, std::is_integral_v<T> ? FieldInfo::Type::Whole : FieldInfo::Type::Real);
        info.minimum = limits.minimum;
        info.maximum = limits.maximum;
        info.defaultValue = value;
    }

private:
    FieldInfo& add(const FieldText& field, FieldInfo::Type type) {
        auto& info = m_fields.emplace_back();
        info.path = field.path;
        info.unit = field.unit;
        info.help = field.help;
        info.type = type;
        return info;
    }
    std::vector<FieldInfo>& m_fields;
};

} // namespace

const std::vector<FieldInfo>& jobFields() {
    static const std::vector<FieldInfo> fields = [] {
        std::vector<FieldInfo> list;
        JobSpec defaults;
        Describe describe(list);
        visitJobFields(defaults, describe);
        return list;
    }();
    return fields;
}

} // namespace coxswain::wire
