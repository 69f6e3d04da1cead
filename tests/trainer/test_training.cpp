// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/ranks.h"
#include "tests/trainer/temporaryfolder.h"
#include "tests/trainer/tinymodel.h"
#include "trainer/dist/errors.h"
#include "trainer/model/huggingface.h"
#include "trainer/train/training.h"
#include "trainer/wire/layout.h"
#include "trainer/wire/shard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>

namespace coxswain::trainer {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using tests::TemporaryFolder;
using wire::ExitCode;

/// Lines of one kind from a rank's file; every line must be readable.
template <class Line>
std::vector<Line> linesOf(const fs::path& output, int rank) {
    std::vector<Line> lines;
    std::ifstream stream(output / wire::layout::rankFile(rank));
    for (std::string text; std::getline(stream, text);) {
        const auto line = wire::parseMetricsLine(text);
        EXPECT_TRUE(line && *line) << text;
        if (const auto* body = std::get_if<Line>(&(*line)->body))
            lines.push_back(*body);
    }
    return lines;
}

class TrainingTest : public testing::Test {
protected:
    TrainingTest() {
        at::set_num_threads(1); // ranks are threads here
        std::string text;
        for (int i = 0; i < 400; ++i)
            text += "In the beginning of line " + std::to_string(i * 7919 % 1000) + " was a word.\n";
        m_text = m_folder.write("text", text);
        m_spec.model.config = tests::tinyConfig();
        m_spec.data.source = {wire::Input::At::Node, "text"};
        m_spec.train.steps = 20;
        m_spec.train.globalBatch = 6;
        m_spec.train.sequenceLength = 24;
        m_spec.train.learningRate = 1e-3;
        m_spec.train.warmupSteps = 3;
        m_spec.train.bucketMib = 0.02; // several buckets
    }

    /// All ranks' results; `change` may alter a rank's own environment.
    std::vector<TrainingResult> trainRanks(int worldSize, const fs::path& output,
                                           const std::function<void(int, RankEnvironment&)>& change = {}) {
        fs::create_directories(output);
        std::vector<TrainingResult> results(static_cast<std::size_t>(worldSize));
        m_thrown.clear();
        m_ends = tests::runRanks(
            worldSize, 60s,
            [&](int rank, auto& comm) {
                const auto startup = comm->duplicate();
                MetricsWriter metrics(output / wire::layout::rankFile(rank), 1);
                RankEnvironment environment{m_spec,   m_folder.path(), output, "host" + std::to_string(rank),
                                            *startup, *comm,           metrics};
                if (change)
                    change(rank, environment);
                results[static_cast<std::size_t>(rank)] = train(environment);
            },
            &m_thrown);
        return results;
    }

    /// Every rank ended with this code, and rank 0 said this.
    void expectEnds(ExitCode code, const std::string& says) {
        for (std::size_t rank = 0; rank < m_thrown.size(); ++rank) {
            ASSERT_TRUE(m_thrown[rank]) << "rank " << rank << " did not fail";
            try {
                std::rethrow_exception(m_thrown[rank]);
            } catch (const TrainerError& error) {
                EXPECT_EQ(error.code(), code) << "rank " << rank << ": " << error.what();
            }
        }
        EXPECT_NE(m_ends[0].find(says), std::string::npos) << m_ends[0];
    }

    TemporaryFolder m_folder;
    fs::path m_text;
    wire::JobSpec m_spec;
    std::vector<std::string> m_ends;
    std::vector<std::exception_ptr> m_thrown;
};

TEST_F(TrainingTest, oneRankAndSeveralGiveTheSameLosses) {
    const auto one = m_folder.path() / "one";
    trainRanks(1, one);
    ASSERT_EQ(m_ends[0], "");
    const auto reference = linesOf<wire::StepLine>(one, 0);
    ASSERT_EQ(reference.size(), 20u);
    EXPECT_LT(reference.back().loss, reference.front().loss - 0.5) << "it learns";
    // Ranks with equal and with unequal shares, from shards as a node has them.
    for (const int worldSize : {3, 4}) {
        const auto documents = wire::Documents::fromText(m_text, m_spec.train.globalBatch);
        const auto shards = m_folder.path() / ("shards" + std::to_string(worldSize));
        fs::create_directories(shards);
        for (int rank = 0; rank < worldSize; ++rank)
            ASSERT_TRUE(wire::writeShard(*documents, "text", rank, worldSize,
                                         shards / wire::layout::shardFile(rank, worldSize)));
        m_spec.data.source.path = shards.string();
        const auto several = m_folder.path() / ("several" + std::to_string(worldSize));
        trainRanks(worldSize, several);
        std::int64_t rankTokens = 0;
        for (int rank = 0; rank < worldSize; ++rank) {
            ASSERT_EQ(m_ends[static_cast<std::size_t>(rank)], "");
            const auto lines = linesOf<wire::StepLine>(several, rank);
            ASSERT_EQ(lines.size(), 20u);
            for (std::size_t i = 0; i < lines.size(); ++i) {
                EXPECT_EQ(lines[i].step, static_cast<std::int64_t>(i) + 1);
                EXPECT_NEAR(lines[i].loss, reference[i].loss, 1e-4) << "step " << i + 1;
                EXPECT_NEAR(lines[i].gradientNorm, reference[i].gradientNorm, 1e-3);
                EXPECT_DOUBLE_EQ(lines[i].learningRate, reference[i].learningRate);
                EXPECT_DOUBLE_EQ(lines[i].epoch, reference[i].epoch);
                EXPECT_EQ(lines[i].tokens, 6 * 24);
            }
            rankTokens += lines[0].rankTokens;
        }
        EXPECT_EQ(rankTokens, 6 * 24);
    }
}

TEST_F(TrainingTest, linesAreMeasuredAndTheLossIsTheMeanOverAllTokens) {
    const auto output = m_folder.path() / "out";
    trainRanks(2, output);
    const auto first = linesOf<wire::StepLine>(output, 0), second = linesOf<wire::StepLine>(output, 1);
    ASSERT_EQ(first.size(), 20u);
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].loss, second[i].loss);
        EXPECT_NE(first[i].rankLoss, second[i].rankLoss);
        EXPECT_NEAR(first[i].loss, (first[i].rankLoss + second[i].rankLoss) / 2, 1e-6); // equal shares
        for (const auto& line : {first[i], second[i]}) {
            const auto& t = line.milliseconds;
            for (const double part : {t.data, t.forward, t.backward, t.communicationWait, t.optimizer})
                EXPECT_GT(part, 0);
            EXPECT_GE(t.total, t.data + t.forward + t.backward + t.communicationWait + t.optimizer - 1e-6);
            EXPECT_GT(line.memory.resident, 1 << 20);
            EXPECT_FALSE(line.memory.gpuAllocated);
        }
    }
    const auto start = linesOf<wire::StartLine>(output, 1);
    ASSERT_EQ(start.size(), 1u);
    EXPECT_EQ(start[0].rank, 1);
    EXPECT_EQ(start[0].worldSize, 2);
    EXPECT_EQ(start[0].host, "host1");
    EXPECT_EQ(start[0].device, "cpu");
    EXPECT_EQ(start[0].steps, 20);
    EXPECT_GT(start[0].parameters, 10000);
}

TEST_F(TrainingTest, checkpointsAreSavedByRankZero) {
    m_spec.checkpoint.everySteps = 8;
    const auto output = m_folder.path() / "out";
    const auto results = trainRanks(2, output);
    const auto events = linesOf<wire::EventLine>(output, 0);
    ASSERT_EQ(events.size(), 3u);
    const std::pair<std::int64_t, const char*> expected[] = {{8, "step-8"}, {16, "step-16"}, {20, "final"}};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(events[i].event, "checkpoint");
        EXPECT_EQ(events[i].step, expected[i].first);
        EXPECT_EQ(events[i].message, (output / "checkpoints" / expected[i].second).string());
        Decoder loaded(readDecoderConfig(events[i].message), at::kCPU);
        EXPECT_NO_THROW(loadHuggingFace(loaded, events[i].message));
    }
    EXPECT_TRUE(linesOf<wire::EventLine>(output, 1).empty());
    const auto end = linesOf<wire::EndLine>(output, 0);
    ASSERT_EQ(end.size(), 1u);
    EXPECT_EQ(end[0].model, events[2].message);
    EXPECT_EQ(end[0].state, "finished");
    EXPECT_EQ(linesOf<wire::EndLine>(output, 1).at(0).model, "");
    EXPECT_EQ(results[0].model.string(), events[2].message);
    EXPECT_EQ(results[1].model, "");
    // A folder to start from: the first loss is where the other run ended, not where it began.
    m_spec.model = {wire::Input{wire::Input::At::Node, events[2].message}, nullptr};
    m_spec.train.steps = 1;
    m_spec.checkpoint.everySteps = 0;
    const auto next = trainRanks(2, m_folder.path() / "next");
    EXPECT_EQ(m_ends, std::vector<std::string>(2));
    EXPECT_LT(next[1].firstLoss, results[0].firstLoss - 0.5);
}

TEST_F(TrainingTest, microBatchesChangeNothingButMemory) {
    m_spec.train.steps = 6;
    const auto whole = m_folder.path() / "whole";
    trainRanks(2, whole);
    const auto reference = linesOf<wire::StepLine>(whole, 0);
    for (const int size : {1, 2}) { // of three sequences a rank: the last one is smaller, too
        m_spec.train.microBatch = size;
        const auto output = m_folder.path() / ("micro" + std::to_string(size));
        trainRanks(2, output);
        EXPECT_EQ(m_ends, std::vector<std::string>(2));
        const auto lines = linesOf<wire::StepLine>(output, 0);
        ASSERT_EQ(lines.size(), reference.size());
        for (std::size_t i = 0; i < lines.size(); ++i) {
            EXPECT_NEAR(lines[i].loss, reference[i].loss, 1e-5);
            EXPECT_NEAR(lines[i].rankLoss, reference[i].rankLoss, 1e-5);
            EXPECT_NEAR(lines[i].gradientNorm, reference[i].gradientNorm, 1e-4);
        }
    }
}

TEST_F(TrainingTest, gradientCheckpointingChangesNoResult) {
    m_spec.train.steps = 6;
    m_spec.train.microBatch = 2;
    const auto plain = m_folder.path() / "plain", checkpointed = m_folder.path() / "checkpointed";
    trainRanks(2, plain);
    m_spec.train.gradientCheckpointing = true;
    trainRanks(2, checkpointed);
    EXPECT_EQ(m_ends, std::vector<std::string>(2));
    const auto expected = linesOf<wire::StepLine>(plain, 0), seen = linesOf<wire::StepLine>(checkpointed, 0);
    ASSERT_EQ(seen.size(), 6u);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        EXPECT_EQ(seen[i].loss, expected[i].loss);
        EXPECT_EQ(seen[i].gradientNorm, expected[i].gradientNorm);
    }
}

/// Each step's line of a rank, the last attempt's where there are several.
std::map<std::int64_t, wire::StepLine> stepsOf(const fs::path& output, int rank) {
    std::map<std::int64_t, wire::StepLine> steps;
    for (const auto& line : linesOf<wire::StepLine>(output, rank))
        steps[line.step] = line;
    return steps;
}

std::string contentsOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// What the last "resumed" event says; "" where there is none.
std::string resumption(const fs::path& output) {
    std::string text;
    for (const auto& event : linesOf<wire::EventLine>(output, 0))
        if (event.event == "resumed")
            text = event.message;
    return text;
}

class ResumeTest : public TrainingTest {
protected:
    /// A run on three ranks that is stopped after 11 of 20 steps.
    fs::path stoppedRun() {
        auto output = m_folder.path() / "stopped";
        trainRanks(3, output, [&](int rank, RankEnvironment& environment) {
            if (rank == 1)
                environment.stopRequested = [count = 0]() mutable { return ++count > 11; };
        });
        EXPECT_EQ(m_ends, std::vector<std::string>(3));
        return output;
    }
    /// What the run that nothing interrupted gave, to the bit.
    void expectAsUninterrupted(const fs::path& output) {
        const auto reference = m_folder.path() / "uninterrupted";
        trainRanks(3, reference);
        EXPECT_EQ(m_ends, std::vector<std::string>(3));
        for (int rank = 0; rank < 3; ++rank) {
            const auto expected = stepsOf(reference, rank), seen = stepsOf(output, rank);
            ASSERT_EQ(seen.size(), 20u);
            for (const auto& [step, line] : expected) {
                EXPECT_EQ(seen.at(step).loss, line.loss) << "step " << step;
                EXPECT_EQ(seen.at(step).rankLoss, line.rankLoss) << "step " << step;
                EXPECT_EQ(seen.at(step).gradientNorm, line.gradientNorm) << "step " << step;
                EXPECT_EQ(seen.at(step).epoch, line.epoch);
            }
        }
        EXPECT_TRUE(contentsOf(output / "checkpoints/final/model.safetensors") ==
                    contentsOf(reference / "checkpoints/final/model.safetensors"));
        EXPECT_FALSE(fs::exists(output / "checkpoints/final/trainer_state.json")) << "it is finished";
    }
};

TEST_F(ResumeTest, aStoppedRunGoesOnBitForBit) {
    const auto output = stoppedRun();
    trainRanks(3, output);
    EXPECT_EQ(m_ends, std::vector<std::string>(3));
    EXPECT_EQ(resumption(output), "after step 11, from " + (output / "checkpoints/final").string());
    expectAsUninterrupted(output);
}

TEST_F(ResumeTest, aDamagedCheckpointIsPassedOver) {
    m_spec.checkpoint.everySteps = 8;
    const auto output = stoppedRun();
    // One bit of a weight, which no check of sizes sees.
    const auto file = output / "checkpoints/final/model.safetensors";
    auto bytes = contentsOf(file);
    bytes[bytes.size() - 5] ^= 1;
    std::ofstream(file, std::ios::binary) << bytes;
    trainRanks(3, output);
    EXPECT_EQ(m_ends, std::vector<std::string>(3));
    EXPECT_EQ(resumption(output), "after step 8, from " + (output / "checkpoints/step-8").string());
    std::string damage;
    for (const auto& event : linesOf<wire::EventLine>(output, 0))
        damage += event.event == "damaged_checkpoint" ? event.message : "";
    EXPECT_NE(damage.find("final: its weights are not those that were saved"), std::string::npos) << damage;
    expectAsUninterrupted(output);
}

TEST_F(ResumeTest, whereAllAreDamagedNothingIsThrownAway) {
    const std::pair<const char*, const char*> rows[] = {
        {"optimizer.safetensors", "optimizer.safetensors"},
        {"trainer_state.json", "trainer_state.json cannot be read"},
        {"model.safetensors", "model.safetensors"}};
    const auto output = stoppedRun();
    for (const auto& [name, says] : rows) {
        const auto file = output / "checkpoints/final" / name;
        const auto whole = contentsOf(file);
        std::ofstream(file, std::ios::binary) << whole.substr(0, whole.size() / 2);
        trainRanks(1, output);
        expectEnds(ExitCode::BadModel, says);
        expectEnds(ExitCode::BadModel, "checkpoint.resume");
        EXPECT_TRUE(fs::exists(file));
        std::ofstream(file, std::ios::binary) << whole;
    }
    m_spec.checkpoint.resume = "never";
    m_spec.train.steps = 2;
    trainRanks(1, output);
    EXPECT_EQ(m_ends[0], "");
}

TEST_F(ResumeTest, anotherWorldSizeContinuesInTheSameOrder) {
    const auto output = stoppedRun();
    trainRanks(2, output);
    EXPECT_EQ(m_ends, std::vector<std::string>(2));
    EXPECT_NE(resumption(output).find("with 2 ranks instead of 3"), std::string::npos) << resumption(output);
    const auto reference = m_folder.path() / "reference";
    trainRanks(2, reference);
    const auto expected = stepsOf(reference, 0), seen = stepsOf(output, 0);
    for (std::int64_t step = 12; step <= 20; ++step)
        EXPECT_NEAR(seen.at(step).loss, expected.at(step).loss, 1e-4) << "step " << step;
}

TEST_F(ResumeTest, anotherPlanIsRefused) {
    const auto output = stoppedRun();
    m_spec.train.seed = 2;
    trainRanks(3, output);
    EXPECT_NE(m_ends[0].find("train.seed"), std::string::npos) << m_ends[0];
    m_spec.train.seed = 1;
    m_spec.data.source.path = m_folder.write("other", contentsOf(m_text).replace(3, 3, "The"));
    trainRanks(3, output);
    EXPECT_NE(m_ends[0].find("the data differ"), std::string::npos) << m_ends[0];
}

TEST_F(TrainingTest, checkpointsComeWithEpochsAndTheOldestGo) {
    m_spec.train.sequenceLength = 60;
    m_spec.checkpoint.everyEpoch = true;
    m_spec.checkpoint.keepLast = 1;
    const auto probe = m_folder.path() / "probe";
    m_spec.train.steps = 1;
    trainRanks(1, probe);
    const auto epoch = std::lround(1 / stepsOf(probe, 0).at(1).epoch);
    m_spec.train.steps = 2 * epoch + 1;
    const auto output = m_folder.path() / "out";
    trainRanks(1, output);
    ASSERT_EQ(m_ends[0], "");
    std::vector<std::int64_t> saved;
    for (const auto& event : linesOf<wire::EventLine>(output, 0))
        saved.push_back(event.step);
    EXPECT_EQ(saved, (std::vector<std::int64_t>{epoch, 2 * epoch, 2 * epoch + 1}));
    EXPECT_FALSE(fs::exists(output / "checkpoints" / ("step-" + std::to_string(epoch))));
    EXPECT_TRUE(fs::exists(output / "checkpoints" / ("step-" + std::to_string(2 * epoch))));
}

TEST_F(TrainingTest, oneRanksWishToStopStopsAllAtTheSameStep) {
    const auto output = m_folder.path() / "out";
    std::atomic<int> asked{0};
    const auto results = trainRanks(3, output, [&](int rank, RankEnvironment& environment) {
        if (rank == 2)
            environment.stopRequested = [&asked] { return ++asked > 5; };
    });
    for (int rank = 0; rank < 3; ++rank) {
        ASSERT_EQ(m_ends[static_cast<std::size_t>(rank)], "");
        EXPECT_EQ(linesOf<wire::StepLine>(output, rank).size(), 5u);
        const auto end = linesOf<wire::EndLine>(output, rank);
        ASSERT_EQ(end.size(), 1u);
        EXPECT_EQ(end[0].state, "stopped");
        EXPECT_EQ(end[0].step, 5);
        EXPECT_EQ(linesOf<wire::EventLine>(output, rank).at(0).event, "stop_requested");
    }
    EXPECT_TRUE(fs::exists(results[0].model / "model.safetensors"));
}

TEST_F(TrainingTest, ranksThatDoNotAgreeAreNamed) {
    trainRanks(3, m_folder.path() / "rate", [](int rank, RankEnvironment& environment) {
        if (rank == 1)
            environment.spec.train.learningRate = 2e-3;
    });
    expectEnds(ExitCode::Mismatch, "rank 1 on host1 differs from rank 0 in the job");
    trainRanks(3, m_folder.path() / "shape", [](int rank, RankEnvironment& environment) {
        if (rank == 2)
            environment.spec.model.config["intermediate_size"] = 64;
    });
    expectEnds(ExitCode::Mismatch, "rank 2 on host2 differs from rank 0 in the job");
    // What may differ: where things lie, and threads.
    trainRanks(2, m_folder.path() / "paths", [&](int rank, RankEnvironment& environment) {
        if (rank == 1) {
            environment.spec.data.source.path = m_text.string();
            environment.spec.train.threadsPerRank = 1;
            environment.spec.id = "another";
        }
    });
    EXPECT_EQ(m_ends, std::vector<std::string>(2));
}

TEST_F(TrainingTest, aJobThatCannotBeTrainedSaysWhy) {
    const auto expectFailure = [&](int worldSize, ExitCode code, const std::string& says) {
        trainRanks(worldSize, m_folder.path() / "out");
        expectEnds(code, says);
    };
    m_spec.train.globalBatch = 2;
    expectFailure(3, ExitCode::BadJob, "train.global_batch");
    m_spec.train.globalBatch = 6;
    m_spec.train.sequenceLength = 64;
    m_spec.data.source.path = m_folder.write("few", "a\nb\nc\n");
    expectFailure(1, ExitCode::BadData, "the data is too small");
    m_spec.data.source.path = "nowhere";
    expectFailure(1, ExitCode::BadData, "nowhere");
    m_spec.data.source.path = "text";
    m_spec.train.sequenceLength = 65;
    expectFailure(1, ExitCode::BadModel, "max_position_embeddings is 64");
    m_spec.train.sequenceLength = 24;
    m_spec.model.config["vocab_size"] = 257;
    expectFailure(1, ExitCode::BadModel, "vocab_size");
    m_spec.model = {wire::Input{wire::Input::At::Node, "no model"}, nullptr};
    expectFailure(1, ExitCode::BadModel, "no model");
    // Shards made for another batch.
    m_spec.model = {std::nullopt, tests::tinyConfig()};
    const auto documents = wire::Documents::fromText(m_text, 4);
    fs::create_directories(m_folder.path() / "shards");
    ASSERT_TRUE(wire::writeShard(*documents, "text", 0, 1, m_folder.path() / "shards/shard-0-of-1"));
    m_spec.data.source.path = "shards";
    expectFailure(1, ExitCode::BadData, "made for train.global_batch 4");
}

TEST_F(TrainingTest, nonFiniteLossesAreReportedAndTrainingGoesOn) {
    Decoder decoder(parseDecoderConfig(tests::tinyConfig()), at::kCPU);
    decoder.initialize(1);
    {
        const at::NoGradGuard noGrad;
        decoder.parameters().back().tensor.fill_(std::numeric_limits<float>::infinity());
    }
    saveHuggingFace(decoder, m_folder.path() / "sick");
    m_spec.model = {wire::Input{wire::Input::At::Node, "sick"}, nullptr};
    m_spec.train.steps = 4;
    const auto output = m_folder.path() / "out";
    trainRanks(2, output);
    EXPECT_EQ(m_ends, std::vector<std::string>(2));
    const auto lines = linesOf<wire::StepLine>(output, 1);
    ASSERT_EQ(lines.size(), 4u);
    for (const auto& line : lines)
        EXPECT_FALSE(std::isfinite(line.loss));
    std::size_t told = 0;
    for (const auto& event : linesOf<wire::EventLine>(output, 1))
        told += event.event == "non_finite" ? 1 : 0;
    EXPECT_EQ(told, 1u);
    EXPECT_EQ(linesOf<wire::EndLine>(output, 0).at(0).state, "finished");
    m_spec.train.nonFinite = "stop";
    trainRanks(2, m_folder.path() / "stop");
    expectEnds(ExitCode::NonFinite, "step 1: the loss is not finite, first on rank 0");
}

TEST_F(TrainingTest, aGradientThatIsNotFiniteIsNamed) {
    // The loss is finite: huge weights after tiny ones. The tiny ones' gradient is huge.
    Decoder decoder(parseDecoderConfig(tests::tinyConfig(false)), at::kCPU);
    decoder.initialize(1);
    {
        const at::NoGradGuard noGrad;
        for (const auto& [name, tensor] : decoder.parameters())
            if (name == "model.norm.weight")
                tensor.fill_(1e-37f);
            else if (name == "lm_head.weight")
                tensor.mul_(1e38f);
    }
    saveHuggingFace(decoder, m_folder.path() / "steep");
    m_spec.model = {wire::Input{wire::Input::At::Node, "steep"}, nullptr};
    m_spec.train.nonFinite = "stop";
    m_spec.train.steps = 2;
    trainRanks(2, m_folder.path() / "out");
    expectEnds(ExitCode::NonFinite, "step 1: the gradients are not finite, beginning with model.norm.weight");
}

TEST_F(TrainingTest, aRankThatDiesEndsTheOthers) {
    trainRanks(3, m_folder.path() / "out", [](int rank, RankEnvironment& environment) {
        if (rank == 1)
            environment.stopRequested = [count = 0]() mutable -> bool {
                if (++count > 3)
                    throw std::runtime_error("rank 1 falls over");
                return false;
            };
    });
    EXPECT_EQ(m_ends[1], "rank 1 falls over");
    for (const std::size_t rank : {0u, 2u}) {
        ASSERT_TRUE(m_thrown[rank]);
        EXPECT_THROW(std::rethrow_exception(m_thrown[rank]), CommunicationError) << m_ends[rank];
    }
}

} // namespace
} // namespace coxswain::trainer
