// SPDX-License-Identifier: Apache-2.0
#include "trainer/dist/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>

namespace coxswain::trainer {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using std::this_thread::sleep_for;

void neverExpected(const std::string& what, std::chrono::milliseconds) {
    ADD_FAILURE() << what << " expired";
}

TEST(Watchdog, guardsThatGoInTimeAreForgotten) {
    Watchdog watchdog(neverExpected, 18);
    for (int i = 0; i < 2000; ++i)
        const Watchdog::Guard guard(watchdog, "short", 10s);
    {
        const Watchdog::Guard longer(watchdog, "long", 20s);
        const Watchdog::Guard shorter(watchdog, "short", 200ms);
        sleep_for(20ms);
    }
    sleep_for(300ms);
}

TEST(Watchdog, manyThreadsMayGuard) {
    Watchdog watchdog(neverExpected, 18);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i)
                const Watchdog::Guard guard(watchdog, "call", 30s);
        });
    for (auto& thread : threads)
        thread.join();
}

void saysSo(const std::string& what, std::chrono::milliseconds limit) {
    std::fprintf(stderr, "%s took over %lld ms\n", what.c_str(), static_cast<long long>(limit.count()));
}

class WatchdogDeath : public testing::Test {
protected:
    WatchdogDeath() { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

TEST_F(WatchdogDeath, aBlockedCallEndsTheProcessAndIsNamed) {
    const auto begin = Clock::now();
    EXPECT_EXIT(
        {
            Watchdog watchdog(saysSo, 18);
            const Watchdog::Guard outer(watchdog, "outer", 60s);
            const Watchdog::Guard guard(watchdog, "MPI_Allreduce", 100ms);
            sleep_for(60s);
        },
        testing::ExitedWithCode(18), "MPI_Allreduce took over 100 ms");
    EXPECT_LT(Clock::now() - begin, 10s);
}

TEST_F(WatchdogDeath, aLaterGuardMayExpireFirst) {
    EXPECT_EXIT(
        {
            Watchdog watchdog(saysSo, 18);
            const Watchdog::Guard outer(watchdog, "outer", 30s);
            sleep_for(50ms); // the watchdog sleeps until outer's end by now
            const Watchdog::Guard inner(watchdog, "inner", 50ms);
            sleep_for(60s);
        },
        testing::ExitedWithCode(18), "inner took over 50 ms");
}

TEST_F(WatchdogDeath, anAbortThatHangsIsNotWaitedFor) {
    const auto begin = Clock::now();
    EXPECT_EXIT(
        {
            Watchdog watchdog([](const std::string&, std::chrono::milliseconds) { sleep_for(60s); }, 18);
            const Watchdog::Guard guard(watchdog, "call", 50ms);
            sleep_for(60s);
        },
        testing::ExitedWithCode(18), "");
    EXPECT_GE(Clock::now() - begin, 2s);
    EXPECT_LT(Clock::now() - begin, 12s);
}

} // namespace
} // namespace coxswain::trainer
