// SPDX-License-Identifier: Apache-2.0
// coxswain-trainer as mpirun starts it, and what happens to it there.
#include "tests/trainer/process.h"
#include "tests/trainer/temporaryfolder.h"
#include "trainer/wire/exitcode.h"
#include "trainer/wire/layout.h"
#include "trainer/wire/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <map>

namespace coxswain::tests {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using nlohmann::json;
using wire::ExitCode;

constexpr auto longEnough = 60s;

class Trainer : public testing::Test {
protected:
    Trainer() {
        std::string text;
        for (int i = 0; i < 600; ++i)
            text += "And line " + std::to_string(i * 7919 % 1000) + " followed the line before it.\n";
        m_folder.write("text", text);
    }

    static json job(std::int64_t steps) {
        return {{"format", "coxswain.job/1.0"},
                {"model",
                 {{"config",
                   {{"model_type", "qwen2"},
                    {"vocab_size", 258},
                    {"hidden_size", 32},
                    {"intermediate_size", 64},
                    {"num_hidden_layers", 2},
                    {"num_attention_heads", 4},
                    {"num_key_value_heads", 2},
                    {"max_position_embeddings", 64},
                    {"tie_word_embeddings", true}}}}},
                {"data", {{"source", {{"at", "node"}, {"path", "text"}}}}},
                {"runtime", "cpu"},
                {"train",
                 {{"steps", steps},
                  {"global_batch", 6},
                  {"sequence_length", 32},
                  {"warmup_steps", 2},
                  {"threads_per_rank", 1}}}};
    }

    std::string write(const json& content, const char* name = "job.json") const {
        return m_folder.write(name, content.dump());
    }

    std::vector<std::string> trainer(const std::string& jobFile) const {
        return {TRAINER, jobFile, "--output", output().string()};
    }
    std::unique_ptr<Process> start(std::vector<std::string> command) const {
        return std::make_unique<Process>(std::move(command), m_folder.path() / "log");
    }
    std::unique_ptr<Process> startRanks(int ranks, const std::string& jobFile) const {
        std::vector<std::string> command{
            MPIRUN, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
            "-np",  std::to_string(ranks)};
        for (auto& argument : trainer(jobFile))
            command.push_back(std::move(argument));
        return start(std::move(command));
    }

    fs::path output() const { return m_folder.path() / "out"; }

    /// Lines of one kind. A last line without an end is still being written.
    template <class Line>
    std::vector<Line> lines(int rank) const {
        std::vector<Line> found;
        std::ifstream stream(output() / wire::layout::rankFile(rank));
        for (std::string text; std::getline(stream, text) && !stream.eof();) {
            const auto line = wire::parseMetricsLine(text);
            EXPECT_TRUE(line && *line) << text;
            if (const auto* body = std::get_if<Line>(&(*line)->body))
                found.push_back(*body);
        }
        return found;
    }

    /// Waits until every rank has made some steps, and returns their process ids.
    std::vector<pid_t> pidsOnceTraining(int ranks) const {
        std::vector<pid_t> pids;
        for (int rank = 0; rank < ranks; ++rank) {
            EXPECT_TRUE(waitUntil(longEnough, [&] { return lines<wire::StepLine>(rank).size() >= 3; }));
            for (const auto& line : lines<wire::StartLine>(rank))
                pids.push_back(line.pid);
        }
        EXPECT_EQ(pids.size(), static_cast<std::size_t>(ranks));
        return pids;
    }

    static bool anyAlive(const std::vector<pid_t>& pids) {
        return std::any_of(pids.begin(), pids.end(), [](pid_t pid) { return isAlive(pid); });
    }

    /// Runs alone, without mpirun, and must fail so; the error line and standard error both say why.
    void expectFailure(const std::string& jobFile, ExitCode code, const std::string& says) const {
        const auto process = start(trainer(jobFile));
        EXPECT_EQ(process->wait(longEnough), static_cast<int>(code)) << process->output();
        EXPECT_NE(process->output().find("coxswain-trainer: rank 0"), std::string::npos) << process->output();
        EXPECT_NE(process->output().find(says), std::string::npos) << process->output();
        const auto errors = lines<wire::ErrorLine>(0);
        ASSERT_FALSE(errors.empty());
        EXPECT_EQ(errors.back().code, code);
        EXPECT_NE(errors.back().message.find(says), std::string::npos) << errors.back().message;
    }

    TemporaryFolder m_folder;
};

TEST_F(Trainer, finishes) {
    const auto process = startRanks(3, write(job(7)));
    ASSERT_EQ(process->wait(longEnough), 0) << process->output();
    for (int rank = 0; rank < 3; ++rank) {
        const auto steps = lines<wire::StepLine>(rank);
        ASSERT_EQ(steps.size(), 7u);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            EXPECT_EQ(steps[i].step, static_cast<std::int64_t>(i) + 1);
            EXPECT_EQ(steps[i].loss, lines<wire::StepLine>(0)[i].loss);
            EXPECT_EQ(steps[i].gradientNorm, lines<wire::StepLine>(0)[i].gradientNorm);
        }
        EXPECT_LT(steps.back().loss, steps.front().loss);
        EXPECT_EQ(lines<wire::EndLine>(rank).size(), 1u);
    }
    EXPECT_TRUE(fs::exists(output() / "checkpoints/final/model.safetensors"));
}

TEST_F(Trainer, goesOnAfterAKillAsIfNothingHadHappened) {
    auto spec = job(300);
    spec["checkpoint"] = {{"every_steps", 20}};
    const auto file = write(spec);
    const auto killed = startRanks(3, file);
    const auto pids = pidsOnceTraining(3);
    ASSERT_TRUE(waitUntil(longEnough, [&] { return !lines<wire::EventLine>(0).empty(); }));
    ASSERT_EQ(pids.size(), 3u);
    ::kill(pids[1], SIGKILL);
    ASSERT_NE(killed->wait(longEnough), 0) << "the kill came too late";
    ASSERT_TRUE(waitUntil(longEnough, [&] { return !anyAlive(pids); }));
    const auto resumed = startRanks(3, file);
    ASSERT_EQ(resumed->wait(longEnough), 0) << resumed->output();
    std::int64_t from = 0;
    for (const auto& event : lines<wire::EventLine>(0))
        if (event.event == "resumed")
            from = event.step;
    EXPECT_GE(from, 20);
    EXPECT_EQ(from % 20, 0);
    std::map<std::int64_t, wire::StepLine> seen;
    for (const auto& line : lines<wire::StepLine>(2))
        seen[line.step] = line;
    ASSERT_EQ(seen.size(), 300u);
    fs::rename(output(), m_folder.path() / "resumed");
    const auto whole = startRanks(3, file);
    ASSERT_EQ(whole->wait(longEnough), 0) << whole->output();
    for (const auto& line : lines<wire::StepLine>(2)) {
        EXPECT_EQ(seen[line.step].loss, line.loss) << "step " << line.step;
        EXPECT_EQ(seen[line.step].gradientNorm, line.gradientNorm) << "step " << line.step;
    }
}

TEST_F(Trainer, scoresAndGradientsOfWhatItSaved) {
    ASSERT_EQ(start(trainer(write(job(3))))->wait(longEnough), 0);
    const std::string model = output() / "checkpoints/final";
    const auto data =
        m_folder.write("samples", "{\"tokens\": [72, 105, 33, 257], \"labels\": [-100, 105, 33, -100]}\n"
                                  "{\"tokens\": [65, 110, 100]}\n{\"tokens\": [65]}\n");
    const auto run = [&](const char* verb, const std::string& file) {
        const auto process = start({TRAINER, verb, model, file, "--json"});
        EXPECT_EQ(process->wait(longEnough), 0) << process->output();
        return json::parse(process->output());
    };
    const auto score = run("score", data);
    ASSERT_EQ(score["samples"].size(), 3u);
    const std::int64_t tokens[] = {2, 2, 0};
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(score["samples"][i]["tokens"], tokens[i]);
        sum += score["samples"][i]["loss"].get<double>();
    }
    EXPECT_EQ(score["samples"][2]["loss"], 0);
    EXPECT_EQ(score["tokens"], 4);
    EXPECT_NEAR(score["loss"].get<double>(), sum, 1e-9);
    EXPECT_NEAR(score["perplexity"].get<double>(), std::exp(sum / 4), 1e-9);
    const auto gradients = run("gradients", data);
    EXPECT_NEAR(gradients["loss"].get<double>(), sum / 4, 1e-5) << "one batch is what separate samples are";
    double squares = 0;
    for (const auto& [name, norm] : gradients["gradients"].items()) {
        EXPECT_GT(norm.get<double>(), 0) << name;
        squares += norm.get<double>() * norm.get<double>();
    }
    EXPECT_EQ(gradients["gradients"].size(), 26u);
    EXPECT_NEAR(gradients["norm"].get<double>(), std::sqrt(squares), 1e-9);
    EXPECT_EQ(gradients["plan"]["sequences"][0]["targets"], 2);
    // A text needs a tokenizer, and this model's folder has none.
    const auto text = start({TRAINER, "score", model, m_folder.write("plain", "a text\n")});
    EXPECT_EQ(text->wait(longEnough), static_cast<int>(ExitCode::BadModel)) << text->output();
    EXPECT_NE(text->output().find("tokenizer.json"), std::string::npos) << text->output();
}

TEST_F(Trainer, aloneItIsAWorldOfOneWithTheSameLosses) {
    auto process = start(trainer(write(job(5))));
    ASSERT_EQ(process->wait(longEnough), 0) << process->output();
    const auto alone = lines<wire::StepLine>(0);
    ASSERT_EQ(alone.size(), 5u);
    fs::remove_all(output());
    process = startRanks(3, write(job(5)));
    ASSERT_EQ(process->wait(longEnough), 0) << process->output();
    const auto together = lines<wire::StepLine>(2);
    ASSERT_EQ(together.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(together[i].loss, alone[i].loss, 1e-4);
}

TEST_F(Trainer, stopsAtTheSameStepOnSigusr1) {
    const auto process = startRanks(3, write(job(1'000'000)));
    pidsOnceTraining(3);
    process->signal(SIGUSR1);
    ASSERT_EQ(process->wait(20s), 0) << process->output();
    const auto last = lines<wire::StepLine>(0).back().step;
    for (int rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(lines<wire::StepLine>(rank).back().step, last);
        ASSERT_EQ(lines<wire::EndLine>(rank).size(), 1u);
        EXPECT_EQ(lines<wire::EndLine>(rank)[0].state, "stopped");
        EXPECT_EQ(lines<wire::EndLine>(rank)[0].step, last);
    }
    EXPECT_TRUE(fs::exists(output() / "checkpoints/final/model.safetensors"));
    EXPECT_EQ(lines<wire::EndLine>(0)[0].model, (output() / "checkpoints/final").string());
}

TEST_F(Trainer, stopsOnSigtermWhenItIsAlone) {
    const auto process = start(trainer(write(job(1'000'000))));
    pidsOnceTraining(1);
    process->signal(SIGTERM);
    ASSERT_EQ(process->wait(20s), 0) << process->output();
    EXPECT_EQ(lines<wire::EndLine>(0).at(0).state, "stopped");
}

TEST_F(Trainer, aWishToStopThatComesEarlyIsKept) {
    const auto process = start(trainer(write(job(1'000'000))));
    const auto file = output() / wire::layout::rankFile(0);
    ASSERT_TRUE(waitUntil(longEnough, [&] { return fs::exists(file); }));
    process->signal(SIGUSR1); // it is about to start MPI
    ASSERT_EQ(process->wait(longEnough), 0) << process->output();
    EXPECT_EQ(lines<wire::EndLine>(0).at(0).state, "stopped");
}

TEST_F(Trainer, aKilledRankEndsAll) {
    const auto process = startRanks(3, write(job(1'000'000)));
    const auto pids = pidsOnceTraining(3);
    const auto begin = Clock::now();
    ASSERT_EQ(::kill(pids.at(1), SIGKILL), 0);
    const auto status = process->wait(10s);
    ASSERT_TRUE(status) << "still there after 10 s";
    EXPECT_NE(*status, 0);
    EXPECT_TRUE(waitUntil(10s - std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin),
                          [&] { return !anyAlive(pids); }));
    EXPECT_NE(process->output().find("signal 9"), std::string::npos) << process->output();
}

TEST_F(Trainer, aStoppedRankMissesTheDeadline) {
    auto document = job(1'000'000);
    document["deadlines"]["collective_seconds"] = 2;
    const auto process = startRanks(3, write(document));
    const auto pids = pidsOnceTraining(3);
    const auto begin = Clock::now();
    ASSERT_EQ(::kill(pids.at(1), SIGSTOP), 0);
    const auto status = process->wait(15s);
    const auto took = Clock::now() - begin;
    ASSERT_TRUE(status) << "still there after 15 s";
    EXPECT_EQ(*status, static_cast<int>(ExitCode::Deadline)) << process->output();
    EXPECT_GE(took, 1900ms);
    EXPECT_LT(took, 8s);
    EXPECT_TRUE(waitUntil(5s, [&] { return !anyAlive(pids); }));
    std::vector<wire::ErrorLine> errors;
    for (const int rank : {0, 2})
        for (const auto& error : lines<wire::ErrorLine>(rank))
            errors.push_back(error);
    ASSERT_FALSE(errors.empty());
    for (const auto& error : errors) {
        EXPECT_EQ(error.code, ExitCode::Deadline);
        EXPECT_NE(error.message.find("did not finish within 2 s"), std::string::npos) << error.message;
        EXPECT_NE(error.message.find("MPI_"), std::string::npos) << error.message;
        EXPECT_GE(error.step, 3);
    }
}

TEST_F(Trainer, ranksWithDifferentJobsAreNamed) {
    auto other = job(5);
    other["model"]["config"]["hidden_size"] = 48;
    std::vector<std::string> command{MPIRUN, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"};
    for (const auto& file : {write(job(5)), write(other, "other.json")}) {
        if (command.back() != "none")
            command.push_back(":");
        command.insert(command.end(), {"-np", "1"});
        for (auto& argument : trainer(file))
            command.push_back(std::move(argument));
    }
    const auto process = start(command);
    ASSERT_EQ(process->wait(longEnough), static_cast<int>(ExitCode::Mismatch)) << process->output();
    EXPECT_NE(process->output().find("rank 1 on "), std::string::npos) << process->output();
    EXPECT_NE(process->output().find("differs from rank 0 in the job"), std::string::npos)
        << process->output();
}

TEST_F(Trainer, faultsHaveTheirExitCodes) {
    auto document = job(5);
    document["train"]["steps"] = 0;
    expectFailure(write(document), ExitCode::BadJob, "train.steps");
    expectFailure((m_folder.path() / "missing.json").string(), ExitCode::BadJob, "missing.json");
    document = job(5);
    document["data"]["source"]["path"] = "nowhere";
    expectFailure(write(document), ExitCode::BadData, "nowhere");
    document["data"]["source"]["path"] = "text/below a file";
    expectFailure(write(document), ExitCode::BadData, "text/below a file");
    document = job(5);
    document["model"]["config"]["model_type"] = "gpt2";
    expectFailure(write(document), ExitCode::BadModel, "gpt2");
    const auto process = start({TRAINER, "--nonsense"});
    EXPECT_EQ(process->wait(longEnough), static_cast<int>(ExitCode::Usage));
    EXPECT_NE(process->output().find("usage:"), std::string::npos);
}

TEST_F(Trainer, aFullDiskIsSaid) {
    fs::create_directories(output());
    fs::create_symlink("/dev/full", output() / wire::layout::rankFile(0));
    auto process = start(trainer(write(job(3))));
    EXPECT_EQ(process->wait(longEnough), static_cast<int>(ExitCode::Disk)) << process->output();
    EXPECT_NE(process->output().find("rank-0.jsonl: No space left on device"), std::string::npos)
        << process->output();
    // No place for checkpoints, but for metrics.
    fs::remove(output() / wire::layout::rankFile(0));
    std::ofstream(output() / wire::layout::checkpointsFolder) << "a file";
    expectFailure(write(job(3)), ExitCode::Disk, "checkpoints/final.partial");
}

// The GPU runtime loads the plugin. On a machine without a GPU it says what is missing and does not crash.
TEST_F(Trainer, theGpuRuntimeWorksOrSaysWhyNot) {
    auto document = job(3);
    document["runtime"] = "cu13";
    if (fs::exists("/dev/nvidia0")) {
        const auto process = start(trainer(write(document)));
        ASSERT_EQ(process->wait(longEnough), 0) << process->output();
        EXPECT_TRUE(lines<wire::StepLine>(0).at(0).memory.gpuAllocated);
    } else {
        expectFailure(write(document), ExitCode::NoDevice, "no GPU here: ");
    }
}

} // namespace
} // namespace coxswain::tests
