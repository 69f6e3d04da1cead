// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tl/expected.hpp>

#include <string>
#include <vector>

namespace coxswain::wire {

/// One fault in a file of ours. `field` is a path such as "train.steps", empty when the whole file is meant.
struct FieldError {
    std::string field;
    std::string message; ///< what was expected, what was found, what to do

    std::string text() const { return field.empty() ? message : field + ": " + message; }
    bool operator==(const FieldError&) const = default;
};

template <class T>
using Result = tl::expected<T, FieldError>;

/// For readers that report every fault at once, as a form wants them.
template <class T>
using CheckedResult = tl::expected<T, std::vector<FieldError>>;

} // namespace coxswain::wire
