// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/number.h"

#include <cmath>
#include <limits>

namespace coxswain::wire {

nlohmann::json toJsonNumber(double value) {
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "Infinity" : "-Infinity";
    return value;
}

std::optional<double> fromJsonNumber(const nlohmann::json& value) {
    if (value.is_number())
        return value.get<double>();
    if (!value.is_string())
        return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    if (text == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity")
        return std::numeric_limits<double>::infinity();
    if (text == "-Infinity")
        return -std::numeric_limits<double>::infinity();
    return std::nullopt;
}

} // namespace coxswain::wire
