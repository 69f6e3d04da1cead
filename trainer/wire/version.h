// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace coxswain::wire {

/// Names of the formats, as they stand in a file's "format" field: NAME/MAJOR.MINOR.
inline constexpr std::string_view jobFormat = "coxswain.job/1.0";
inline constexpr std::string_view metricsFormat = "coxswain.metrics/1.0";
inline constexpr std::string_view stateFormat = "coxswain.state/1.0";
inline constexpr std::string_view checkpointFormat = "coxswain.checkpoint/1.0";
inline constexpr std::string_view shardFormat = "coxswain.shard/1.0";

/// How a file's format stands to the one that this program knows.
/// Note [Format versions]: a reader accepts every minor of its major. In a file of a newer minor,
/// fields that it does not know are ignored; in a file of its own minor or older they are errors.
enum class FormatMatch { Same, OlderMinor, NewerMinor, OtherMajor, OtherFormat };

/// Compares the "format" text `seen` with `known` (one of the constants above).
FormatMatch matchFormat(std::string_view seen, std::string_view known);

/// True for every match that a reader accepts.
bool isReadable(FormatMatch match);

/// What to tell a user whose file did not match: names both formats and what to do.
std::string formatMismatch(std::string_view seen, std::string_view known);

} // namespace coxswain::wire
