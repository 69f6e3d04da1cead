// SPDX-License-Identifier: Apache-2.0
#include "trainer/train/schedule.h"

#include <gtest/gtest.h>

namespace coxswain::trainer {
namespace {

wire::TrainSpec spec(std::int64_t steps, std::int64_t warmup) {
    wire::TrainSpec s;
    s.steps = steps;
    s.warmupSteps = warmup;
    s.learningRate = 1e-3;
    s.finalLearningRate = 1e-4;
    return s;
}

TEST(Schedule, warmsUpLinearlyAndFallsByHalfACosine) {
    const auto s = spec(110, 10);
    EXPECT_DOUBLE_EQ(learningRateAt(s, 1, 1), 1e-4);
    EXPECT_DOUBLE_EQ(learningRateAt(s, 1, 5), 5e-4);
    EXPECT_DOUBLE_EQ(learningRateAt(s, 1, 10), 1e-3);
    EXPECT_NEAR(learningRateAt(s, 1, 35), 1e-4 + 9e-4 * 0.85355339059327,
                1e-15); // a quarter: (1 + cos 45°) / 2
    EXPECT_NEAR(learningRateAt(s, 1, 60), 5.5e-4, 1e-15);
    EXPECT_NEAR(learningRateAt(s, 1, 110), 1e-4, 1e-15);
    for (std::int64_t step = 11; step <= 110; ++step)
        EXPECT_LT(learningRateAt(s, 1, step), learningRateAt(s, 1, step - 1)) << step;
}

TEST(Schedule, edges) {
    EXPECT_NEAR(learningRateAt(spec(1, 0), 1, 1), 1e-4,
                1e-15); // no warm-up: the last step has the final rate
    EXPECT_DOUBLE_EQ(learningRateAt(spec(1, 1), 1, 1), 1e-3);
    EXPECT_DOUBLE_EQ(learningRateAt(spec(4, 10), 1, 4), 1e-3); // warm-up is cut to the run's length
    EXPECT_DOUBLE_EQ(learningRateAt(spec(4, 10), 1, 1), 2.5e-4);
    EXPECT_LT(learningRateAt(spec(100, 0), 1, 1), 1e-3);
    EXPECT_GT(learningRateAt(spec(100, 0), 1, 1), 9.9e-4);
}

TEST(Schedule, canBeALineOrConstant) {
    auto s = spec(110, 10);
    s.schedule = "linear";
    EXPECT_DOUBLE_EQ(learningRateAt(s, 1, 10), 1e-3);
    EXPECT_NEAR(learningRateAt(s, 1, 35), 7.75e-4, 1e-15);
    EXPECT_NEAR(learningRateAt(s, 1, 110), 1e-4, 1e-15);
    s.schedule = "constant";
    EXPECT_DOUBLE_EQ(learningRateAt(s, 1, 5), 5e-4);
    EXPECT_DOUBLE_EQ(learningRateAt(s, 1, 11), 1e-3);
    EXPECT_DOUBLE_EQ(learningRateAt(s, 1, 110), 1e-3);
}

TEST(Schedule, growsWithTheRanksWhereAsked) {
    for (const auto& [scaling, factor] : {std::pair("none", 1.0), {"sqrt", 2.0}, {"linear", 4.0}}) {
        auto s = spec(110, 10);
        s.learningRateScaling = scaling;
        for (const std::int64_t step : {1, 10, 60, 110})
            EXPECT_NEAR(learningRateAt(s, 4, step), factor * learningRateAt(spec(110, 10), 1, step), 1e-15)
                << scaling << ", step " << step;
    }
}

} // namespace
} // namespace coxswain::trainer
