// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/wire/number.h"

#include <nlohmann/json.hpp>

#include <QString>

#include <optional>
#include <string>

/// Between Qt's texts and JSON. Reading throws nlohmann's exceptions for a value of another type.
namespace coxswain::job {

inline std::string text(const QString& value) {
    return value.toStdString();
}

inline QString text(const nlohmann::json& value) {
    return QString::fromStdString(value.get_ref<const std::string&>());
}

template <class T>
nlohmann::json optional(const std::optional<T>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

template <class T>
std::optional<T> optional(const nlohmann::json& value) {
    return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

} // namespace coxswain::job
