// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/exitcode.h"

#include <array>
#include <utility>

namespace coxswain::wire {
namespace {

constexpr std::array<std::pair<ExitCode, std::string_view>, 13> names{{
    {ExitCode::Ok, "ok"},
    {ExitCode::Internal, "internal"},
    {ExitCode::Usage, "usage"},
    {ExitCode::BadJob, "bad_job"},
    {ExitCode::BadData, "bad_data"},
    {ExitCode::BadModel, "bad_model"},
    {ExitCode::NoDevice, "no_device"},
    {ExitCode::OutOfMemory, "out_of_memory"},
    {ExitCode::Disk, "disk"},
    {ExitCode::Mismatch, "mismatch"},
    {ExitCode::Communication, "communication"},
    {ExitCode::Deadline, "deadline"},
    {ExitCode::NonFinite, "non_finite"},
}};

} // namespace

std::string_view exitCodeName(ExitCode code) {
    for (const auto& [known, name] : names)
        if (known == code)
            return name;
    return "internal";
}

std::optional<ExitCode> exitCodeFromStatus(int status) {
    for (const auto& [known, name] : names)
        if (static_cast<int>(known) == status)
            return known;
    return std::nullopt;
}

} // namespace coxswain::wire
