// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/metrics.h"
#include "trainer/wire/version.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace coxswain::wire {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

StepLine sampleStep() {
    StepLine line;
    line.step = 7;
    line.epoch = 0.5;
    line.loss = 2.25;
    line.rankLoss = 2.5;
    line.tokens = 1536;
    line.rankTokens = 512;
    line.learningRate = 1e-3;
    line.gradientNorm = 0.1;
    line.milliseconds = {0.5, 10, 20, 3, 2, 36};
    line.memory.resident = 1LL << 40;
    return line;
}

nlohmann::json written(LineBody body) {
    const auto text = toJsonLine({3, 1700000000.125, std::move(body)});
    EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line, closed";
    return nlohmann::json::parse(text); // throws on what is not JSON
}

template <class Line>
Line comesBack(const Line& line) {
    const auto text = toJsonLine({3, 1700000000.125, line});
    const auto back = parseMetricsLine(text);
    EXPECT_TRUE(back && *back) << text;
    EXPECT_EQ((*back)->attempt, 3);
    EXPECT_EQ((*back)->time, 1700000000.125);
    // Written again it is the same text: nothing was lost on the way.
    EXPECT_EQ(toJsonLine(**back), text);
    return std::get<Line>((*back)->body);
}

TEST(Metrics, everyKindComesBack) {
    const auto start = comesBack(StartLine{"job-1", 2, 3, "node7", 4711, "cuda 0 NVIDIA H200", 1625408, 300});
    EXPECT_EQ(start.host, "node7");
    EXPECT_EQ(start.parameters, 1625408);
    const auto step = comesBack(sampleStep());
    EXPECT_EQ(step.milliseconds.communicationWait, 3);
    EXPECT_EQ(step.memory.resident, 1LL << 40);
    EXPECT_EQ(comesBack(EventLine{"checkpoint", 9, "/some where"}).message, "/some where");
    EXPECT_EQ(comesBack(ErrorLine{ExitCode::OutOfMemory, "line\nbreak \"quote\"", 4}).code,
              ExitCode::OutOfMemory);
    EXPECT_EQ(comesBack(EndLine{"stopped", 12, ""}).state, "stopped");
    NodeLine node;
    node.cpuPercent = 12.5;
    node.gpus = {"0, 100, 81559, 3, 40, 71.2"};
    EXPECT_EQ(comesBack(node).gpus, node.gpus);
}

TEST(Metrics, onlyTheFirstLineNamesTheFormat) {
    EXPECT_EQ(written(StartLine{}).at("format"), metricsFormat);
    EXPECT_FALSE(written(sampleStep()).contains("format"));
}

TEST(Metrics, unknownIsAbsentAndNeverZero) {
    const auto cpu = written(sampleStep());
    EXPECT_EQ(cpu.at("memory").size(), 1u) << cpu;
    StepLine onGpu = sampleStep();
    onGpu.memory.gpuUsed = 0;
    EXPECT_EQ(written(onGpu).at("memory").at("gpu_used"), 0);
    EXPECT_EQ(comesBack(onGpu).memory.gpuUsed, 0);
    EXPECT_EQ(comesBack(sampleStep()).memory.gpuTotal, std::nullopt);
    EXPECT_FALSE(written(NodeLine{}).contains("cpu_percent"));
}

TEST(Metrics, nonFiniteNumbersAreValidJson) {
    StepLine line = sampleStep();
    line.loss = nan;
    line.rankLoss = infinity;
    line.gradientNorm = -infinity;
    const auto object = written(line);
    EXPECT_EQ(object.at("loss"), "NaN");
    EXPECT_EQ(object.at("rank_loss"), "Infinity");
    EXPECT_EQ(object.at("gradient_norm"), "-Infinity");
    const auto back = comesBack(line);
    EXPECT_TRUE(std::isnan(back.loss));
    EXPECT_EQ(back.rankLoss, infinity);
    EXPECT_EQ(back.gradientNorm, -infinity);
}

TEST(Metrics, doublesKeepAllTheirBits) {
    StepLine line = sampleStep();
    for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 2.2250738585072014e-308}) {
        line.loss = value;
        EXPECT_EQ(std::signbit(comesBack(line).loss), std::signbit(value));
        EXPECT_EQ(comesBack(line).loss, value);
    }
}

TEST(Metrics, unknownKindsAreSkipped) {
    const auto line = parseMetricsLine(R"({"attempt": 1, "time": 5, "kind": "weather", "sky": "blue"})");
    ASSERT_TRUE(line) << line.error().text();
    EXPECT_FALSE(*line);
}

TEST(Metrics, unknownFieldsOfALaterMinorAreIgnored) {
    auto object = written(sampleStep());
    object["humidity"] = 3;
    object["memory"]["swap"] = 4;
    const auto line = parseMetricsLine(object.dump());
    ASSERT_TRUE(line && *line);
    EXPECT_EQ(std::get<StepLine>((*line)->body).step, 7);
}

TEST(Metrics, anUnknownErrorCodeIsInternal) {
    const auto line = parseMetricsLine(
        R"({"attempt": 1, "time": 5, "kind": "error", "code": "meteor", "message": "m", "step": 2})");
    ASSERT_TRUE(line && *line);
    EXPECT_EQ(std::get<ErrorLine>((*line)->body).code, ExitCode::Internal);
}

TEST(Metrics, damagedLinesAreErrors) {
    const auto whole = toJsonLine({1, 5, sampleStep()});
    // No prefix of a line may pass for a line (a reader may see a file that is being written).
    for (std::size_t length = 0; length + 1 < whole.size(); ++length)
        EXPECT_FALSE(parseMetricsLine(whole.substr(0, length))) << length;
    for (
        const char* text :
        {"", "null", "[1]", R"({"kind": "end"})", R"({"attempt": 1, "time": 5})",
         R"({"attempt": 1.5, "time": 5, "kind": "end", "state": "finished", "step": 1, "model": ""})",
         R"({"attempt": 99999999999, "time": 5, "kind": "end", "state": "finished", "step": 1, "model": ""})",
         R"({"attempt": 1, "time": "noon", "kind": "end", "state": "finished", "step": 1, "model": ""})",
         R"({"attempt": 1, "time": 5, "kind": "end", "state": 1, "step": 1, "model": ""})",
         R"({"attempt": 1, "time": 5, "kind": "start", "format": "coxswain.metrics/2.0"})"})
        EXPECT_FALSE(parseMetricsLine(text)) << text;
}

} // namespace
} // namespace coxswain::wire
