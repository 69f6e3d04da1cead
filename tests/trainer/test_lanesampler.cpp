// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/temporaryfolder.h"
#include "trainer/data/bytetokenizer.h"
#include "trainer/data/lanesampler.h"
#include "trainer/data/random.h"
#include "trainer/dist/errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace coxswain::trainer {
namespace {

TEST(ByteTokenizer, isBytes) {
    std::vector<std::int32_t> tokens{ByteTokenizer::bos};
    ByteTokenizer::encode("a\xff\xc3\xa9", tokens);
    EXPECT_EQ(tokens, (std::vector<std::int32_t>{256, 97, 255, 0xc3, 0xa9}));
    EXPECT_EQ(ByteTokenizer::eos, 257);
}

// The order of the data is part of a run's identity: other values here mean that old runs cannot be repeated.
TEST(Random, isPinned) {
    SplitMix64 random(1234567); // the reference values of the algorithm's authors
    EXPECT_EQ(random.next(), 6457827717110365317u);
    EXPECT_EQ(random.next(), 3203168211198807973u);
    EXPECT_EQ(random.next(), 9817491932198370423u);
    EXPECT_EQ(hashName("foobar"), 0x85944171f73967e8u); // FNV's own test value
    EXPECT_EQ(permutation(8, 42), (std::vector<std::int64_t>{4, 3, 2, 0, 7, 6, 1, 5}));
    EXPECT_EQ(mixSeeds(1, 2, 3), 15020427595393229491u);
}

TEST(Random, permutationsAreComplete) {
    for (const std::int64_t size : {0, 1, 2, 100}) {
        auto order = permutation(size, 7);
        std::sort(order.begin(), order.end());
        std::vector<std::int64_t> all(static_cast<std::size_t>(size));
        std::iota(all.begin(), all.end(), 0);
        EXPECT_EQ(order, all);
    }
    EXPECT_NE(permutation(100, 7), permutation(100, 8));
}

constexpr int lanes = 7;
constexpr int length = 8;

class Sampling : public testing::Test {
protected:
    Sampling() {
        std::string text;
        SplitMix64 random(3);
        for (int i = 0; i < 300; ++i) {
            for (std::uint64_t n = 1 + random.below(30); n > 0; --n)
                text += static_cast<char>('a' + random.below(26));
            text += '\n';
        }
        m_documents = *wire::Documents::fromText(m_folder.write("text", text), lanes);
    }

    /// The samplers of all ranks, with the epoch that they would agree on.
    std::vector<LaneSampler> samplers(int worldSize) const {
        std::vector<LaneSampler> list;
        for (int rank = 0; rank < worldSize; ++rank)
            list.emplace_back(m_documents, wire::lanesOfRank(rank, worldSize, lanes), length, 5);
        std::int64_t epoch = list[0].shortestLane();
        for (const auto& sampler : list)
            epoch = std::min(epoch, sampler.shortestLane());
        for (auto& sampler : list)
            sampler.setStepsPerEpoch(epoch);
        return list;
    }

    /// A step's inputs and labels of all ranks, in the order of lanes.
    static std::vector<std::int64_t> batch(std::vector<LaneSampler>& world, std::int64_t step) {
        std::vector<std::int64_t> all;
        for (auto& sampler : world) {
            const auto size = static_cast<std::size_t>(sampler.laneCount() * length);
            std::vector<std::int64_t> inputs(size), labels(size);
            sampler.fill(step, inputs.data(), labels.data());
            for (std::size_t i = 0; i < size; ++i) {
                all.push_back(inputs[i]);
                all.push_back(labels[i]);
            }
        }
        return all;
    }

    tests::TemporaryFolder m_folder;
    wire::Documents m_documents;
};

TEST_F(Sampling, contentDoesNotDependOnTheWorldSize) {
    auto one = samplers(1);
    for (const int worldSize : {2, 3, 5, 7}) {
        auto world = samplers(worldSize);
        ASSERT_EQ(world[0].stepsPerEpoch(), one[0].stepsPerEpoch());
        std::int64_t tokens = 0;
        for (const auto& sampler : world)
            tokens += sampler.tokenCount();
        EXPECT_EQ(tokens, one[0].tokenCount());
        const auto steps = 2 * one[0].stepsPerEpoch() + 3;
        for (std::int64_t step = 1; step <= steps; ++step)
            ASSERT_EQ(batch(world, step), batch(one, step)) << worldSize << " ranks, step " << step;
    }
}

TEST_F(Sampling, shardsAndTextGiveTheSame) {
    auto fromText = samplers(3);
    for (int rank = 0; rank < 3; ++rank) {
        const auto file = m_folder.path() / "shard";
        ASSERT_TRUE(wire::writeShard(m_documents, "text", rank, 3, file));
        const auto shard = wire::Documents::fromShard(file);
        ASSERT_TRUE(shard) << shard.error().text();
        const LaneSampler sampler(*shard, wire::lanesOfRank(rank, 3, lanes), length, 5);
        EXPECT_EQ(sampler.digest(), fromText[static_cast<std::size_t>(rank)].digest());
    }
}

TEST_F(Sampling, labelsFollowInputsAndDocumentsEndInEos) {
    auto world = samplers(1);
    std::vector<std::int64_t> inputs(lanes * length), labels(lanes * length);
    std::int64_t closings = 0;
    for (std::int64_t step = 1; step <= world[0].stepsPerEpoch(); ++step) {
        world[0].fill(step, inputs.data(), labels.data());
        for (std::size_t i = 0; i + 1 < inputs.size(); ++i)
            EXPECT_TRUE(i % length == length - 1 || labels[i] == inputs[i + 1]) << i;
        closings += std::count(inputs.begin(), inputs.end(), ByteTokenizer::eos);
        for (const auto token : inputs)
            EXPECT_TRUE(token == ByteTokenizer::eos || (token >= 'a' && token <= 'z')) << token;
    }
    EXPECT_GT(closings, 200);
}

TEST_F(Sampling, anEpochHasEachWindowAtMostOnceAndTheShortestLaneAll) {
    auto world = samplers(1);
    auto& sampler = world[0];
    // A lane's windows as they stand in its stream, to recognise them again.
    std::map<int, std::set<std::vector<std::int64_t>>> seen;
    std::vector<std::int64_t> inputs(lanes * length), labels(lanes * length);
    const auto epoch = sampler.stepsPerEpoch();
    for (std::int64_t step = 1; step <= epoch; ++step) {
        sampler.fill(step, inputs.data(), labels.data());
        for (int lane = 0; lane < lanes; ++lane) {
            const auto begin = inputs.begin() + lane * length;
            EXPECT_TRUE(seen[lane].insert({begin, begin + length}).second)
                << "lane " << lane << ", step " << step;
        }
    }
    int complete = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        std::vector<std::int32_t> stream;
        for (const auto document : m_documents.documents(lane)) {
            ByteTokenizer::encode(document, stream);
            stream.push_back(ByteTokenizer::eos);
        }
        const auto windows = (static_cast<std::int64_t>(stream.size()) - 1) / length;
        complete += windows == epoch ? 1 : 0;
        for (const auto& window : seen[lane]) {
            bool found = false;
            for (std::int64_t w = 0; w < windows && !found; ++w)
                found = std::equal(window.begin(), window.end(), stream.begin() + w * length);
            EXPECT_TRUE(found) << "lane " << lane;
        }
    }
    EXPECT_GE(complete, 1);
}

TEST_F(Sampling, epochsAreShuffledAnewAndStepsCanBeRepeated) {
    auto world = samplers(2);
    const auto epoch = world[0].stepsPerEpoch();
    const auto first = batch(world, 1);
    int same = 0;
    for (std::int64_t step = 1; step <= epoch; ++step) {
        const auto early = batch(world, step);
        same += batch(world, step + epoch) == early ? 1 : 0;
    }
    EXPECT_LT(same, 2);
    EXPECT_EQ(batch(world, 1), first); // as a restart needs it
    EXPECT_DOUBLE_EQ(world[0].epochAfter(epoch), 1);
    EXPECT_DOUBLE_EQ(world[0].epochAfter(3 * epoch), 3);
}

TEST_F(Sampling, dataThatIsTooSmallIsAnError) {
    try {
        const LaneSampler sampler(m_documents, {0, 1}, 1 << 20, 1);
        FAIL() << "expected an error";
    } catch (const TrainerError& error) {
        EXPECT_EQ(error.code(), wire::ExitCode::BadData);
        EXPECT_NE(std::string(error.what()).find("lane 0 of 7"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("train.sequence_length"), std::string::npos);
    }
    // A source with fewer documents than lanes: the last lanes are empty.
    const auto few = wire::Documents::fromText(m_folder.write("few", "one\ntwo\n"), 3);
    EXPECT_THROW(LaneSampler(*few, {2, 1}, 2, 1), TrainerError);
    EXPECT_NO_THROW(LaneSampler(*few, {0, 1}, 3, 1)); // o n e eos: exactly one window
    EXPECT_THROW(LaneSampler(*few, {0, 1}, 4, 1), TrainerError);
}

} // namespace
} // namespace coxswain::trainer
