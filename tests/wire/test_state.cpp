// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/state.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace coxswain::wire {
namespace {

using Phase = SupervisorState::Phase;

SupervisorState exited() {
    SupervisorState state;
    state.job = "run-1";
    state.attempt = 2;
    state.phase = Phase::Exited;
    state.supervisorPid = 10;
    state.mpirunPid = 11;
    state.exitStatus = 18;
    state.message = "tab\tand \"quotes\"";
    state.startedAt = 1700000000.25;
    state.endedAt = 1700000100.5;
    return state;
}

TEST(State, comesBackAsItWas) {
    SupervisorState signalled = exited();
    signalled.exitStatus.reset();
    signalled.signal = 9;
    SupervisorState running = exited();
    running.phase = Phase::Running;
    running.exitStatus.reset();
    running.endedAt = 0;
    for (const auto& state : {SupervisorState{}, exited(), signalled, running}) {
        const auto text = toJsonText(state);
        const auto back = parseSupervisorState(text);
        ASSERT_TRUE(back) << back.error().text();
        EXPECT_EQ(*back, state) << text;
    }
}

TEST(State, survivesBytesThatAreNoText) {
    SupervisorState state;
    state.message = "\xff\xfe";
    EXPECT_TRUE(parseSupervisorState(toJsonText(state)));
}

TEST(State, acceptsANewerMinorWithMoreFields) {
    auto object = nlohmann::json::parse(toJsonText(exited()));
    object["format"] = "coxswain.state/1.7";
    object["weather"] = "fine";
    const auto back = parseSupervisorState(object.dump());
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(*back, exited());
}

struct Damage {
    const char* key;
    nlohmann::json value; ///< null: the key is taken away
    const char* named;    ///< must stand in the error
};

TEST(State, refusesDamage) {
    const Damage rows[] = {{"format", "coxswain.state/2.0", "format"},
                           {"format", nullptr, "format"},
                           {"phase", "sleeping", "sleeping"},
                           {"job", 5, "string"},
                           {"attempt", "two", "number"},
                           {"mpirun_pid", nullptr, "mpirun_pid"}};
    for (const auto& row : rows) {
        auto object = nlohmann::json::parse(toJsonText(exited()));
        if (row.value.is_null())
            object.erase(row.key);
        else
            object[row.key] = row.value;
        const auto back = parseSupervisorState(object.dump());
        ASSERT_FALSE(back) << row.key;
        EXPECT_NE(back.error().text().find(row.named), std::string::npos) << back.error().text();
    }
    for (const char* text : {"", "null", "[]", "{\"format\"", "{}"})
        EXPECT_FALSE(parseSupervisorState(text)) << text;
}

} // namespace
} // namespace coxswain::wire
