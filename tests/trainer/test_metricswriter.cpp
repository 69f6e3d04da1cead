// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/temporaryfolder.h"
#include "trainer/dist/errors.h"
#include "trainer/train/memory.h"
#include "trainer/train/metricswriter.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>
#include <thread>

namespace coxswain::trainer {
namespace {

std::vector<std::string> linesOf(const std::filesystem::path& file) {
    std::vector<std::string> lines;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

class Metrics : public testing::Test {
protected:
    tests::TemporaryFolder m_folder;
    std::filesystem::path m_file = m_folder.path() / "rank-0.jsonl";
};

TEST_F(Metrics, attemptsAppend) {
    const double before = wallClock();
    MetricsWriter(m_file, 1).write(wire::EventLine{"checkpoint", 5, "x"});
    MetricsWriter(m_file, 2).write(wire::EndLine{"finished", 9, "/model"});
    const auto lines = linesOf(m_file);
    ASSERT_EQ(lines.size(), 2u);
    const auto first = wire::parseMetricsLine(lines[0]), second = wire::parseMetricsLine(lines[1]);
    ASSERT_TRUE(first && *first && second && *second);
    EXPECT_EQ((*first)->attempt, 1);
    EXPECT_EQ((*second)->attempt, 2);
    EXPECT_EQ(std::get<wire::EndLine>((*second)->body).model, "/model");
    EXPECT_GE((*first)->time, before);
    EXPECT_LE((*first)->time, wallClock());
    struct stat status {};
    ASSERT_EQ(::stat(m_file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(Metrics, aLineThatACrashCutOffIsClosed) {
    m_folder.write("rank-0.jsonl", "{\"kind\":\"step\",\"st");
    MetricsWriter(m_file, 2).write(wire::EventLine{"a", 1, ""});
    const auto lines = linesOf(m_file);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_FALSE(wire::parseMetricsLine(lines[0]));
    EXPECT_TRUE(wire::parseMetricsLine(lines[1]));
}

TEST_F(Metrics, nonFiniteLossesAreValidJson) {
    wire::StepLine line;
    line.loss = std::numeric_limits<double>::quiet_NaN();
    line.gradientNorm = std::numeric_limits<double>::infinity();
    MetricsWriter(m_file, 1).write(line);
    const auto object = nlohmann::json::parse(linesOf(m_file).at(0));
    EXPECT_EQ(object.at("loss"), "NaN");
    EXPECT_EQ(object.at("gradient_norm"), "Infinity");
}

TEST_F(Metrics, linesOfSeveralThreadsDoNotMix) {
    MetricsWriter writer(m_file, 1);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 200; ++i)
                writer.writeLastWords(wire::ErrorLine{wire::ExitCode::Deadline, std::string(500, 'a'), t});
        });
    for (auto& thread : threads)
        thread.join();
    const auto lines = linesOf(m_file);
    EXPECT_EQ(lines.size(), 800u);
    for (const auto& line : lines)
        EXPECT_TRUE(wire::parseMetricsLine(line));
}

TEST_F(Metrics, aFullDiskIsADiskErrorAndLeavesReadableLines) {
    ::signal(SIGXFSZ, SIG_IGN);
    MetricsWriter writer(m_file, 1);
    writer.write(wire::EventLine{"first", 1, ""});
    const auto size = std::filesystem::file_size(m_file);
    struct rlimit usual {};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
    const struct rlimit small { size + 10, usual.rlim_max };
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string failure;
    try {
        writer.write(wire::EventLine{"second", 2, ""});
    } catch (const TrainerError& error) {
        failure = error.what();
        EXPECT_EQ(error.code(), wire::ExitCode::Disk);
    }
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &usual), 0);
    EXPECT_NE(failure.find("cannot write " + m_file.string()), std::string::npos) << failure;
    EXPECT_EQ(std::filesystem::file_size(m_file), size + 10);                // half a line
    writer.writeLastWords(wire::ErrorLine{wire::ExitCode::Disk, "full", 2}); // somebody has made room
    const auto lines = linesOf(m_file);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_TRUE(wire::parseMetricsLine(lines[0]));
    EXPECT_FALSE(wire::parseMetricsLine(lines[1]));
    const auto last = wire::parseMetricsLine(lines[2]);
    ASSERT_TRUE(last && *last);
    EXPECT_EQ(std::get<wire::ErrorLine>((*last)->body).code, wire::ExitCode::Disk);
}

TEST_F(Metrics, aFileThatCannotBeOpenedIsADiskError) {
    try {
        const MetricsWriter writer(m_folder.path() / "missing" / "rank-0.jsonl", 1);
        FAIL() << "opened";
    } catch (const TrainerError& error) {
        EXPECT_EQ(error.code(), wire::ExitCode::Disk);
        EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
    }
    MetricsWriter full("/dev/full", 1);
    EXPECT_THROW(full.write(wire::EventLine{}), TrainerError);
    full.writeLastWords(wire::ErrorLine{}); // reports nothing
}

TEST(Memory, isThatOfThisProcess) {
    const auto before = memoryUse(nullptr).resident;
    EXPECT_GT(before, 1 << 20);
    std::vector<char> block(64 << 20, 1);
    EXPECT_GT(memoryUse(nullptr).resident, before + (60 << 20));
    EXPECT_EQ(block[12345], 1);
    EXPECT_FALSE(memoryUse(nullptr).gpuUsed);
}

} // namespace
} // namespace coxswain::trainer
