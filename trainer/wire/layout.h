// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Names of files and folders that several programs must agree on. README.md draws the two trees.
namespace coxswain::wire::layout {

// On a node, below the agent's base folder (usually ~/.coxswain)
inline constexpr const char* agentFolder = "agent";     ///< agent/<hash>/coxswain-agent
inline constexpr const char* runtimeFolder = "runtime"; ///< runtime/<hash>/: a bundle, made from the store
inline constexpr const char* storeFolder = "store";     ///< store/<sha256>: files by content
inline constexpr const char* jobsFolder = "jobs";       ///< jobs/<id>/

// In a job's folder on a node
inline constexpr const char* jobFile = "job.json";       ///< JobSpec as the trainer reads it
inline constexpr const char* nodeFileName = "node.json"; ///< NodeFile: which runtime, which node of the plan
inline constexpr const char* launchFile = "launch.json"; ///< what the supervisor starts (head only)
inline constexpr const char* stateFile = "state.json";   ///< SupervisorState (head only)
inline constexpr const char* shardsFolder = "shards";    ///< this node's shards
inline constexpr const char* modelFolder = "model";      ///< a Hugging Face folder that was sent
inline constexpr const char* temporaryFolder = "tmp";    ///< TMPDIR of the job's processes on this node
inline constexpr const char* jobKeyFile = "job_key";     ///< private key that reaches the workers (head only)
inline constexpr const char* outputFolder = "out";       ///< out/mpirun.log
inline constexpr const char* mpirunLog = "out/mpirun.log";      ///< stdout and stderr of mpirun and all ranks
inline constexpr const char* checkpointsFolder = "checkpoints"; ///< checkpoints/step-<n>/, checkpoints/final/

// In the environment of every process of a job
inline constexpr const char* jobVariable = "COXSWAIN_JOB";

inline std::string rankFile(int rank) {
    return "rank-" + std::to_string(rank) + ".jsonl";
}
inline std::string nodeFile(int node) {
    return "node-" + std::to_string(node) + ".jsonl";
}
inline std::string shardFile(int rank, int worldSize) {
    return "shard-" + std::to_string(rank) + "-of-" + std::to_string(worldSize);
}

} // namespace coxswain::wire::layout
