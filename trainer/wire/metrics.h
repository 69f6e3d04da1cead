// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/exitcode.h"
#include "trainer/wire/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Metrics are JSON Lines: rank-<r>.jsonl, appended by rank r, and node-<n>.jsonl, appended by node n's
/// sampler. Each line has "kind", "attempt" and "time" (seconds since 1970 by that node's clock). Lines of
/// a kind that a reader does not know are skipped. An absent field means "unknown"; it never means 0.
namespace coxswain::wire {

/// First line of each attempt in a rank's file.
struct StartLine {
    std::string job;
    int rank = 0;
    int worldSize = 1;
    std::string host;
    int pid = 0;
    std::string device; ///< "cpu", or "cuda:0 NVIDIA A100-SXM4-80GB"
    std::int64_t parameters = 0;
    std::int64_t steps = 0; ///< planned number of optimizer steps
};

/// Milliseconds of one optimizer step, by part; total also covers what no part names.
struct StepTimes {
    double data = 0;
    double forward = 0;
    double backward = 0;
    double communicationWait = 0;
    double optimizer = 0;
    double total = 0;
};

/// Bytes. GPU values are absent on a CPU.
struct MemoryUse {
    std::int64_t resident = 0;
    std::optional<std::int64_t> gpuAllocated;
    std::optional<std::int64_t> gpuReserved;
    std::optional<std::int64_t> gpuUsed; ///< of the whole device, other processes included
    std::optional<std::int64_t> gpuTotal;
};

/// One line for each optimizer step and rank. Losses are means per target token, in nats.
struct StepLine {
    std::int64_t step = 0; ///< 1 is the first
    double epoch = 0;
    double loss = 0;             ///< over all ranks' target tokens: what is optimised, the same on every rank
    double rankLoss = 0;         ///< over this rank's own target tokens
    std::int64_t tokens = 0;     ///< target tokens over all ranks
    std::int64_t rankTokens = 0; ///< of this rank
    double learningRate = 0;
    double gradientNorm = 0; ///< global, before clipping
    StepTimes milliseconds;
    MemoryUse memory;
};

/// Something worth a mark in the plots: "checkpoint", "stop_requested", "non_finite".
struct EventLine {
    std::string event;
    std::int64_t step = 0;
    std::string message;
};

/// The trainer's own account of why it fails; written and synced before it ends.
struct ErrorLine {
    ExitCode code = ExitCode::Internal;
    std::string message;
    std::int64_t step = 0; ///< the last that was begun
};

/// Last line of an attempt that ended in order.
struct EndLine {
    std::string state; ///< "finished" or "stopped"
    std::int64_t step = 0;
    std::string model; ///< folder of the saved model on that node; empty where this rank saved none
};

/// One sample of a node. Rates are means since the sample before.
struct NodeLine {
    std::optional<double> cpuPercent;                    ///< of all cores together: 0 to 100
    std::optional<std::int64_t> memoryUsed, memoryTotal; ///< bytes
    std::optional<double> networkReceived, networkSent;  ///< bytes per second, loopback left out
    std::optional<std::int64_t> diskFree;                ///< bytes, where the job's folder is
    std::vector<std::string> gpus; ///< CSV rows as nvidia-smi prints them, fields as in gpuSampleFields
};

/// --query-gpu fields of NodeLine::gpus, with --format=csv,noheader,nounits.
inline constexpr const char* gpuSampleFields =
    "index,memory.used,memory.total,utilization.gpu,temperature.gpu,power.draw";

using LineBody = std::variant<StartLine, StepLine, EventLine, ErrorLine, EndLine, NodeLine>;

struct MetricsLine {
    int attempt = 1;
    double time = 0;
    LineBody body;
};

/// One line, its '\n' included.
std::string toJsonLine(const MetricsLine& line);

/// Nothing for a line of an unknown kind; an error for one that is damaged or of another major version.
Result<std::optional<MetricsLine>> parseMetricsLine(std::string_view line);

} // namespace coxswain::wire
