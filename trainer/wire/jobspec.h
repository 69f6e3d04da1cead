// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coxswain::wire {

/// Where something lies that a job needs. A relative desktop path is relative to the job file.
struct Input {
    enum class At { Desktop, Node, Shared };
    At at = At::Desktop;
    std::string path;
    bool operator==(const Input&) const = default;
};

/// Either a Hugging Face folder to start from, or the contents of a config.json to start from scratch.
struct ModelSpec {
    std::optional<Input> folder;
    nlohmann::json config; ///< null where there is a folder
    bool operator==(const ModelSpec&) const = default;
};

struct DataSpec {
    Input source;              ///< a text file, or on a node the folder of its shards
    std::string kind = "text"; ///< "text": one document a line
    bool operator==(const DataSpec&) const = default;
};

struct TrainSpec {
    std::int64_t steps = 200;
    int globalBatch = 16; ///< sequences in an optimizer step, over all ranks; also the number of lanes
    int sequenceLength = 128;
    double learningRate = 1e-3;
    double finalLearningRate = 0; ///< at the end of the cosine or line
    std::int64_t warmupSteps = 10;
    std::string schedule = "cosine";          ///< after warm-up: "cosine", "linear" or "constant"
    std::string learningRateScaling = "none"; ///< by the number of ranks: "none", "sqrt" or "linear"
    double weightDecay = 0.1;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double epsilon = 1e-8;
    double clipNorm = 1.0; ///< 0: no clipping
    std::int64_t seed = 1;
    int threadsPerRank = 0; ///< 0: the node's cores divided by its ranks
    double bucketMib = 25;
    int microBatch = 0; ///< sequences in one forward pass of a rank; 0: all of its share at once
    bool gradientCheckpointing = false; ///< keep each layer's input only, and compute the rest again
    std::string nonFinite = "skip";     ///< what a non-finite gradient does: "skip" the step or "stop"
    bool operator==(const TrainSpec&) const = default;
};

struct CheckpointSpec {
    std::int64_t everySteps = 0; ///< 0: only at the end
    bool everyEpoch = false;
    int keepLast = 2;            ///< older ones are deleted; 0: none is
    std::string resume = "auto"; ///< "auto": from the newest one in the job's folder; or "never"
    bool operator==(const CheckpointSpec&) const = default;
};

/// Seconds after which a collective that does not finish ends the job.
struct DeadlineSpec {
    double startupSeconds = 300;
    double collectiveSeconds = 300;
    bool operator==(const DeadlineSpec&) const = default;
};

/// What a person asks for: job.json. The launcher writes the same format into the job's folder on each
/// node, with `id` set and inputs at "node".
struct JobSpec {
    std::string id; ///< empty in a person's file
    std::string name = "job";
    ModelSpec model;
    DataSpec data;
    std::string runtime = "auto";   ///< "auto", "cpu" or "cu13"
    std::vector<std::string> nodes; ///< as in --nodes; empty: this machine
    int ranksPerNode = 0;           ///< 0: one a usable GPU, or one on a CPU runtime
    TrainSpec train;
    CheckpointSpec checkpoint;
    DeadlineSpec deadlines;
    bool operator==(const JobSpec&) const = default;
};

/// Reads and checks everything; reports every fault with the path of its field.
CheckedResult<JobSpec> parseJobSpec(const nlohmann::json& document);
CheckedResult<JobSpec> parseJobText(std::string_view text);

nlohmann::json toJson(const JobSpec& spec);

/// Sets one field of a document from text: setField(doc, "train.steps", "50"). Values are read as JSON,
/// and as plain text where that fails. The result still has to pass parseJobSpec().
Result<void> setField(nlohmann::json& document, std::string_view path, std::string_view value);

/// What a form or a help text needs to know of a field.
struct FieldInfo {
    enum class Type { Whole, Real, Text, Choice, Flag };
    std::string path; ///< "train.steps"
    std::string unit; ///< "steps", "s", "MiB"; empty where there is none
    std::string help; ///< one line, English
    Type type = Type::Text;
    double minimum = 0; ///< Whole and Real
    double maximum = 0;
    std::vector<std::string> choices;
    nlohmann::json defaultValue;
};

/// All simple fields, in the order in which a form should show them (model, data and nodes are not simple).
const std::vector<FieldInfo>& jobFields();

} // namespace coxswain::wire
