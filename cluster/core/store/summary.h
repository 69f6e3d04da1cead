// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace coxswain::core::store {

/// A NaN whose bits no computation gives: "there is no value here". A real NaN is a value and is stored as
/// the usual quiet NaN.
inline constexpr std::uint64_t missingBits = 0x7ff8'c0c5'3a17'0001;
inline double missing() {
    return std::bit_cast<double>(missingBits);
}
inline bool isMissing(double value) {
    return std::bit_cast<std::uint64_t>(value) == missingBits;
}

/// Smallest, largest, sum and numbers of some samples of a column.
struct Summary {
    double minimum = std::numeric_limits<double>::infinity(); ///< of the finite values
    double maximum = -std::numeric_limits<double>::infinity();
    double sum = 0;
    std::uint32_t finite = 0;
    std::uint32_t count = 0; ///< non-finite values included, missing ones not

    void add(double value) {
        if (isMissing(value))
            return;
        ++count;
        if (!std::isfinite(value))
            return;
        ++finite;
        sum += value;
        minimum = value < minimum ? value : minimum;
        maximum = value > maximum ? value : maximum;
    }
    void add(const Summary& other) {
        count += other.count;
        finite += other.finite;
        sum += other.sum;
        minimum = other.minimum < minimum ? other.minimum : minimum;
        maximum = other.maximum > maximum ? other.maximum : maximum;
    }
};
static_assert(sizeof(Summary) == 32, "stored as it is");

} // namespace coxswain::core::store
