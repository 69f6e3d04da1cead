// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/state.h"

#include "trainer/wire/version.h"

#include <nlohmann/json.hpp>

#include <array>

namespace coxswain::wire {
namespace {

using nlohmann::json;
using Phase = SupervisorState::Phase;

constexpr std::array<std::pair<Phase, const char*>, 3> phases{
    {{Phase::Starting, "starting"}, {Phase::Running, "running"}, {Phase::Exited, "exited"}}};

json optionalNumber(const std::optional<int>& value) {
    return value ? json(*value) : json(nullptr);
}

std::optional<int> optionalNumber(const json& value) {
    return value.is_null() ? std::nullopt : std::optional<int>(value.get<int>());
}

} // namespace

std::string toJsonText(const SupervisorState& state) {
    const char* phase = "";
    for (const auto& [known, name] : phases)
        if (known == state.phase)
            phase = name;
    const json object = {{"format", stateFormat},
                         {"job", state.job},
                         {"attempt", state.attempt},
                         {"phase", phase},
                         {"supervisor_pid", state.supervisorPid},
                         {"mpirun_pid", state.mpirunPid},
                         {"exit_status", optionalNumber(state.exitStatus)},
                         {"signal", optionalNumber(state.signal)},
                         {"message", state.message},
                         {"started_at", state.startedAt},
                         {"ended_at", state.endedAt}};
    return object.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

Result<SupervisorState> parseSupervisorState(std::string_view text) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object())
        return tl::unexpected(FieldError{"", "not a JSON object"});
    SupervisorState state;
    try {
        const auto format = object.at("format").get<std::string>();
        if (!isReadable(matchFormat(format, stateFormat)))
            return tl::unexpected(FieldError{"format", formatMismatch(format, stateFormat)});
        state.job = object.at("job").get<std::string>();
        state.attempt = object.at("attempt").get<int>();
        const auto phase = object.at("phase").get<std::string>();
        bool known = false;
        for (const auto& [value, name] : phases)
            if (phase == name) {
                state.phase = value;
                known = true;
            }
        if (!known)
            return tl::unexpected(
                FieldError{"phase", "expected starting, running or exited, found \"" + phase + "\""});
        state.supervisorPid = object.at("supervisor_pid").get<int>();
        state.mpirunPid = object.at("mpirun_pid").get<int>();
        state.exitStatus = optionalNumber(object.at("exit_status"));
        state.signal = optionalNumber(object.at("signal"));
        state.message = object.at("message").get<std::string>();
        state.startedAt = object.at("started_at").get<double>();
        state.endedAt = object.at("ended_at").get<double>();
    } catch (const json::exception& e) {
        return tl::unexpected(FieldError{"", e.what()});
    }
    return state;
}

} // namespace coxswain::wire
