// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <optional>

namespace coxswain::wire {

/// JSON has no NaN and no infinity: they are written as the texts "NaN", "Infinity" and "-Infinity".
nlohmann::json toJsonNumber(double value);

/// Reads what toJsonNumber() wrote; nothing for any other JSON value.
std::optional<double> fromJsonNumber(const nlohmann::json& value);

} // namespace coxswain::wire
