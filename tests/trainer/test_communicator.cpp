// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/ranks.h"
#include "trainer/dist/errors.h"

#include <gtest/gtest.h>

#include <numeric>

namespace coxswain::trainer {
namespace {

using namespace std::chrono_literals;
using tests::runRanks;
using Clock = std::chrono::steady_clock;

constexpr auto patient = 60s;

void expectAllWell(const std::vector<std::string>& ends) {
    for (std::size_t rank = 0; rank < ends.size(); ++rank)
        EXPECT_EQ(ends[rank], "") << "rank " << rank;
}

template <class T>
Buffer bufferOver(std::vector<T>& values, DataType type) {
    return {values.data(), values.size(), type};
}

class Ranks : public testing::TestWithParam<int> {};

TEST_P(Ranks, reduceEverySizeAndType) {
    const int world = GetParam();
    expectAllWell(runRanks(world, patient, [&](int rank, auto& comm) {
        EXPECT_EQ(comm->rank(), rank);
        EXPECT_EQ(comm->worldSize(), world);
        for (const std::size_t size : {0u, 1u, 2u, 7u, 1023u, 4097u}) {
            std::vector<float> sums(size);
            std::vector<double> least(size);
            std::vector<std::int64_t> most(size);
            for (std::size_t i = 0; i < size; ++i) {
                sums[i] = static_cast<float>(i) + static_cast<float>(rank);
                least[i] = static_cast<double>(i) - rank;
                most[i] = static_cast<std::int64_t>(i) * 3 + rank;
            }
            comm->allReduce(bufferOver(sums, DataType::Float32), Reduction::Sum);
            comm->allReduce(bufferOver(least, DataType::Float64), Reduction::Min);
            comm->allReduce(bufferOver(most, DataType::Int64), Reduction::Max);
            for (std::size_t i = 0; i < size; ++i) {
                EXPECT_EQ(sums[i], static_cast<float>(i) * static_cast<float>(world) +
                                       static_cast<float>(world * (world - 1) / 2));
                EXPECT_EQ(least[i], static_cast<double>(i) - (world - 1));
                EXPECT_EQ(most[i], static_cast<std::int64_t>(i) * 3 + world - 1);
            }
        }
    }));
}

TEST_P(Ranks, haveTheSameBitsAfterAReduction) {
    const int world = GetParam();
    std::vector<std::vector<float>> results(static_cast<std::size_t>(world));
    expectAllWell(runRanks(world, patient, [&](int rank, auto& comm) {
        std::vector<float> values(1001);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = 1.0f / static_cast<float>(i + 1 + static_cast<std::size_t>(rank) * 37);
        comm->allReduce(bufferOver(values, DataType::Float32), Reduction::Sum);
        results[static_cast<std::size_t>(rank)] = values;
    }));
    for (const auto& result : results)
        EXPECT_EQ(result, results.front());
}

TEST_P(Ranks, broadcastFromEveryRoot) {
    const int world = GetParam();
    expectAllWell(runRanks(world, patient, [&](int rank, auto& comm) {
        for (int root = 0; root < world; ++root) {
            std::vector<std::uint8_t> values(13, static_cast<std::uint8_t>(rank));
            comm->broadcast(bufferOver(values, DataType::UInt8), root);
            EXPECT_EQ(values, std::vector<std::uint8_t>(13, static_cast<std::uint8_t>(root)));
        }
        // Sixteen bits wide are only moved, never added: allowed.
        std::vector<std::uint16_t> half(5, static_cast<std::uint16_t>(rank + 1));
        comm->broadcast(bufferOver(half, DataType::BFloat16), 0);
        EXPECT_EQ(half, std::vector<std::uint16_t>(5, 1));
    }));
}

TEST_P(Ranks, gatherInOrder) {
    const int world = GetParam();
    expectAllWell(runRanks(world, patient, [&](int rank, auto& comm) {
        std::vector<std::int64_t> mine{rank * 10, rank * 10 + 1, rank * 10 + 2};
        std::vector<std::int64_t> all(static_cast<std::size_t>(3 * world));
        comm->allGather(bufferOver(mine, DataType::Int64), bufferOver(all, DataType::Int64));
        for (int r = 0; r < world; ++r)
            for (int i = 0; i < 3; ++i)
                EXPECT_EQ(all[static_cast<std::size_t>(3 * r + i)], r * 10 + i);
    }));
}

TEST_P(Ranks, duplicateForAnotherThread) {
    const int world = GetParam();
    expectAllWell(runRanks(world, patient, [&](int, auto& comm) {
        const auto first = comm->duplicate();
        const auto second = comm->duplicate();
        double sum = 0;
        std::thread other([&] {
            for (int i = 0; i < 50; ++i) {
                double value = 1;
                first->allReduce(bufferOf(value), Reduction::Sum);
                sum += value;
            }
        });
        std::int64_t most = 0;
        for (int i = 0; i < 50; ++i) {
            most = i + comm->rank();
            comm->allReduce(bufferOf(most), Reduction::Max);
            comm->barrier();
        }
        other.join();
        EXPECT_EQ(sum, 50.0 * world);
        EXPECT_EQ(most, 49 + world - 1);
        second->barrier();
    }));
}

INSTANTIATE_TEST_SUITE_P(world, Ranks, testing::Values(1, 2, 3, 4));

template <class Error>
void expectThrown(const std::exception_ptr& thrown, const std::string& says) {
    ASSERT_TRUE(thrown);
    try {
        std::rethrow_exception(thrown);
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
}

TEST(Failure, aRankThatDiesWakesTheOthers) {
    std::vector<std::exception_ptr> thrown;
    const auto begin = Clock::now();
    runRanks(
        4, patient,
        [](int rank, auto& comm) {
            for (int i = 0; i < 10; ++i) {
                if (rank == 2 && i == 5)
                    return; // its communicator goes with it
                double value = 1;
                comm->allReduce(bufferOf(value), Reduction::Sum);
            }
        },
        &thrown);
    EXPECT_LT(Clock::now() - begin, 10s);
    EXPECT_FALSE(thrown[2]);
    for (const std::size_t rank : {0u, 1u, 3u})
        expectThrown<CommunicationError>(thrown[rank], "rank 2 has gone");
}

TEST(Failure, abortWakesTheOthersFromAnyThread) {
    std::vector<std::exception_ptr> thrown;
    runRanks(
        3, patient,
        [](int rank, auto& comm) {
            if (rank == 0) {
                std::thread([&] { comm->abort(14); }).join();
                return;
            }
            comm->barrier();
        },
        &thrown);
    for (const std::size_t rank : {1u, 2u})
        expectThrown<CommunicationError>(thrown[rank], "rank 0 aborted with status 14");
}

TEST(Failure, aLateRankMissesTheDeadline) {
    std::vector<std::exception_ptr> thrown;
    const auto begin = Clock::now();
    runRanks(
        3, 100ms,
        [&](int rank, auto& comm) {
            if (rank == 1)
                std::this_thread::sleep_for(600ms);
            double value = 1;
            comm->allReduce(bufferOf(value), Reduction::Sum);
        },
        &thrown);
    EXPECT_GE(Clock::now() - begin, 600ms);
    EXPECT_LT(Clock::now() - begin, 10s);
    for (const auto& error : thrown)
        expectThrown<DeadlineError>(error, "did not come in time");
}

TEST(Failure, aBarrierMayHaveALimitOfItsOwn) {
    expectAllWell(runRanks(2, 50ms, [](int rank, auto& comm) {
        if (rank == 1)
            std::this_thread::sleep_for(300ms);
        comm->barrier(patient);
    }));
}

TEST(Failure, differentSizesAreFoundOnEveryRank) {
    std::vector<std::exception_ptr> thrown;
    runRanks(
        3, patient,
        [](int rank, auto& comm) {
            std::vector<float> values(rank == 1 ? 5 : 4);
            comm->allReduce({values.data(), values.size(), DataType::Float32}, Reduction::Sum);
        },
        &thrown);
    for (const auto& error : thrown)
        EXPECT_TRUE(error);
}

TEST(Failure, sixteenBitSumsAreRefused) {
    std::vector<std::exception_ptr> thrown;
    runRanks(
        2, patient,
        [](int, auto& comm) {
            std::vector<std::uint16_t> values(4);
            comm->allReduce({values.data(), values.size(), DataType::BFloat16}, Reduction::Sum);
        },
        &thrown);
    for (const auto& error : thrown)
        EXPECT_TRUE(error);
}

// For ThreadSanitizer: ranks die at every point of a collective while the others read their buffers.
TEST(Failure, buffersOfARankThatFailsAreNotReadLater) {
    for (int round = 0; round < 50; ++round) {
        runRanks(4, patient, [&](int rank, auto& comm) {
            std::thread killer;
            if (rank == 3)
                killer = std::thread([&] { comm->abort(1); });
            try {
                for (int i = 0; i < 20; ++i) {
                    std::vector<double> values(501, rank);
                    comm->allReduce({values.data(), values.size(), DataType::Float64}, Reduction::Sum);
                }
            } catch (const CommunicationError&) {
                // Some ranks finish before the end of the others, some do not.
            }
            if (killer.joinable())
                killer.join();
        });
    }
}

} // namespace
} // namespace coxswain::trainer
