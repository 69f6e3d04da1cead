// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/dist/communicator.h"
#include "trainer/dist/deviceplugin.h"
#include "trainer/train/metricswriter.h"
#include "trainer/wire/jobspec.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

namespace coxswain::trainer {

/// What one rank has around it. References outlive the training.
struct RankEnvironment {
    wire::JobSpec spec;           ///< inputs are at "node"
    std::filesystem::path inputs; ///< relative input paths are relative to this folder
    std::filesystem::path output; ///< checkpoints go below it
    std::string host;
    Communicator& startup;      ///< with the deadline of start-up; over host memory
    Communicator& communicator; ///< with the deadline of a step; over host memory
    MetricsWriter& metrics;
    DevicePlugin* plugin = nullptr; ///< null on CPUs; its device is selected
    std::function<bool()> stopRequested = [] { return false; };
    std::atomic<std::int64_t>* currentStep = nullptr; ///< kept up to date for error lines
};

struct TrainingResult {
    std::string state; ///< "finished" or "stopped"
    std::int64_t steps = 0;
    double firstLoss = 0;
    double lastLoss = 0;
    std::filesystem::path model; ///< where rank 0 saved it; empty on other ranks
};

/// Trains from first to last step, or until any rank's stopRequested() is true, and saves the model. Writes
/// all metrics lines but error lines. Throws TrainerError; whatever else escapes is a fault of ours.
/// Collective.
TrainingResult train(const RankEnvironment& environment);

} // namespace coxswain::trainer
