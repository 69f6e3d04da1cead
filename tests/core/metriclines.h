// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/wire/metrics.h"

/// Lines as ranks write them, with values that differ from each other.
namespace coxswain::core::samples {

inline wire::MetricsLine stepLine(std::int64_t step, double loss, int attempt = 1) {
    wire::StepLine body;
    body.step = step;
    body.epoch = double(step) / 100;
    body.loss = loss;
    body.rankLoss = loss + 0.5;
    body.tokens = 2048;
    body.rankTokens = 1024;
    body.learningRate = 1e-3;
    body.gradientNorm = 0.7;
    body.milliseconds = {1, 2, 3, 4, 5, 16};
    body.memory.resident = 1000000;
    return {attempt, 1000.0 * attempt + double(step) / 10, body};
}

inline wire::MetricsLine startLine(int attempt) {
    wire::StartLine body;
    body.job = "20261201-000000-aaaaaa";
    body.host = "node1";
    body.device = "cpu";
    return {attempt, 1000.0 * attempt, body};
}

inline wire::MetricsLine eventLine(std::int64_t step, const char* event, int attempt = 1) {
    return {attempt, 1000.0 * attempt + double(step) / 10, wire::EventLine{event, step, "here"}};
}

} // namespace coxswain::core::samples
