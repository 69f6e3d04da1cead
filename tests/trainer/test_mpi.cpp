// SPDX-License-Identifier: Apache-2.0
// Every rank runs all tests, in step; started by mpirun with 1 to 4 ranks.
#include "trainer/dist/errors.h"
#include "trainer/dist/mpi.h"

#include <gtest/gtest.h>

#include <thread>

namespace coxswain::trainer {
namespace {

using namespace std::chrono_literals;

MpiSession* session = nullptr;
Watchdog* watchdog = nullptr;

class Mpi : public testing::Test {
protected:
    std::unique_ptr<Communicator> m_world = session->world(*watchdog, 60s);
    const int m_rank = m_world->rank();
    const int m_size = m_world->worldSize();
};

template <class T>
Buffer bufferOver(std::vector<T>& values, DataType type) {
    return {values.data(), values.size(), type};
}

TEST_F(Mpi, knowsWhereItIs) {
    EXPECT_EQ(m_rank, session->rank());
    EXPECT_EQ(m_size, session->worldSize());
    EXPECT_EQ(session->localSize(), m_size) << "all ranks of this test are on one host";
    EXPECT_EQ(session->localRank(), m_rank);
    EXPECT_FALSE(session->host().empty());
}

TEST_F(Mpi, reducesEverySizeAndType) {
    for (const std::size_t size : {0u, 1u, 7u, 4097u, 300001u}) {
        std::vector<float> sums(size);
        std::vector<double> least(size);
        std::vector<std::int64_t> most(size);
        std::vector<std::uint8_t> flags(size, static_cast<std::uint8_t>(m_rank));
        for (std::size_t i = 0; i < size; ++i) {
            sums[i] = static_cast<float>(i % 1000) + static_cast<float>(m_rank);
            least[i] = static_cast<double>(i) - m_rank;
            most[i] = static_cast<std::int64_t>(i) * 3 + m_rank;
        }
        m_world->allReduce(bufferOver(sums, DataType::Float32), Reduction::Sum);
        m_world->allReduce(bufferOver(least, DataType::Float64), Reduction::Min);
        m_world->allReduce(bufferOver(most, DataType::Int64), Reduction::Max);
        m_world->allReduce(bufferOver(flags, DataType::UInt8), Reduction::Max);
        for (std::size_t i = 0; i < size; ++i) {
            ASSERT_EQ(sums[i], static_cast<float>(i % 1000) * static_cast<float>(m_size) +
                                   static_cast<float>(m_size * (m_size - 1) / 2));
            ASSERT_EQ(least[i], static_cast<double>(i) - (m_size - 1));
            ASSERT_EQ(most[i], static_cast<std::int64_t>(i) * 3 + m_size - 1);
            ASSERT_EQ(flags[i], m_size - 1);
        }
    }
}

// Counts are int in MPI: what is longer goes in pieces of 2^28 elements.
TEST_F(Mpi, longBuffersGoInPieces) {
    std::vector<std::uint8_t> values((std::size_t{1} << 28) + 3, static_cast<std::uint8_t>(m_rank));
    values.back() = static_cast<std::uint8_t>(m_rank + 10);
    m_world->allReduce(bufferOver(values, DataType::UInt8), Reduction::Max);
    EXPECT_EQ(values.front(), m_size - 1);
    EXPECT_EQ(values[std::size_t{1} << 28], m_size - 1);
    EXPECT_EQ(values.back(), m_size - 1 + 10);
    values.back() = static_cast<std::uint8_t>(m_rank + 20);
    m_world->broadcast(bufferOver(values, DataType::UInt8), 0);
    EXPECT_EQ(values.back(), 20);
}

TEST_F(Mpi, broadcastsAndGathers) {
    for (int root = 0; root < m_size; ++root) {
        std::vector<std::uint16_t> values(1001, static_cast<std::uint16_t>(m_rank + 1));
        m_world->broadcast(bufferOver(values, DataType::BFloat16), root);
        EXPECT_EQ(values, std::vector<std::uint16_t>(1001, static_cast<std::uint16_t>(root + 1)));
    }
    std::vector<double> mine{m_rank + 0.5, -m_rank - 1.0};
    std::vector<double> all(static_cast<std::size_t>(2 * m_size));
    m_world->allGather(bufferOver(mine, DataType::Float64), bufferOver(all, DataType::Float64));
    for (int r = 0; r < m_size; ++r) {
        EXPECT_EQ(all[static_cast<std::size_t>(2 * r)], r + 0.5);
        EXPECT_EQ(all[static_cast<std::size_t>(2 * r + 1)], -r - 1.0);
    }
}

TEST_F(Mpi, aDuplicateServesAnotherThread) {
    const auto other = m_world->duplicate();
    double sum = 0;
    std::thread thread([&] {
        for (int i = 0; i < 100; ++i) {
            double value = 1;
            other->allReduce(bufferOf(value), Reduction::Sum);
            sum += value;
        }
    });
    std::int64_t most = 0;
    for (int i = 0; i < 100; ++i) {
        most = i * 10 + m_rank;
        m_world->allReduce(bufferOf(most), Reduction::Max);
    }
    thread.join();
    EXPECT_EQ(sum, 100.0 * m_size);
    EXPECT_EQ(most, 990 + m_size - 1);
    m_world->barrier();
}

TEST_F(Mpi, refusesWhatItCannotDo) {
    std::vector<std::uint16_t> half(4);
    EXPECT_THROW(m_world->allReduce(bufferOver(half, DataType::BFloat16), Reduction::Sum),
                 CommunicationError);
    EXPECT_THROW(m_world->allReduce(bufferOver(half, DataType::Float16), Reduction::Sum), CommunicationError);
    try {
        std::vector<float> values(4);
        m_world->broadcast(bufferOver(values, DataType::Float32), m_size); // there is no such root
        FAIL() << "broadcast from nowhere";
    } catch (const CommunicationError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("MPI_Bcast failed on rank " + std::to_string(m_rank)), std::string::npos) << text;
        EXPECT_NE(text.find(session->host()), std::string::npos) << text;
    }
}

} // namespace
} // namespace coxswain::trainer

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    coxswain::trainer::Watchdog watchdog(
        [](const std::string& what, std::chrono::milliseconds) {
            ADD_FAILURE() << what << " took too long";
            coxswain::trainer::MpiSession::abortAll(1);
        },
        1);
    coxswain::trainer::MpiSession session;
    coxswain::trainer::session = &session;
    coxswain::trainer::watchdog = &watchdog;
    return RUN_ALL_TESTS();
}
