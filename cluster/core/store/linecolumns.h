// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/wire/metrics.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coxswain::core::store {

/// A named value of a line; nothing where the line does not have it.
struct Value {
    std::string_view name;
    std::optional<double> value;
};

/// All metrics of a step line, by their names in the wire format ("milliseconds.forward"), always the same
/// ones in the same order; "step" is not among them.
void readValues(const wire::StepLine& line, std::vector<Value>& values);

/// "cpu_percent" …, and for each GPU "gpu.<index>.memory_used", ".memory_total" (bytes), ".utilisation" (%),
/// ".temperature" (°C), ".power" (W).
class NodeValues {
public:
    void read(const wire::NodeLine& line, std::vector<Value>& values);

private:
    std::vector<std::vector<std::string>> m_gpuNames; ///< by index
};

/// The lines back from values, for the newest sample of a store that was opened. Unknown names are left out.
wire::StepLine stepLine(std::int64_t step, const std::vector<Value>& values);
wire::NodeLine nodeLine(const std::vector<Value>& values);

} // namespace coxswain::core::store
