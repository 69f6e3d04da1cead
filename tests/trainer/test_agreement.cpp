// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/ranks.h"
#include "trainer/dist/errors.h"
#include "trainer/train/agreement.h"
#include "trainer/wire/sha256.h"

#include <torch/torch.h>

#include <gtest/gtest.h>

namespace coxswain::trainer {
namespace {

using namespace std::chrono_literals;
using tests::runRanks;
using wire::sha256Hex;

TEST(Agreement, isSilentWhenAllAreAlike) {
    const auto ends = runRanks(3, 60s, [](int, auto& comm) {
        requireAgreement({{"the job", sha256Hex("a")}, {"the weights", sha256Hex("b")}}, "host", *comm);
    });
    EXPECT_EQ(ends, std::vector<std::string>(3));
}

TEST(Agreement, everyRankNamesWhatDiffersAndWhere) {
    std::vector<std::exception_ptr> thrown;
    const auto ends = runRanks(
        4, 60s,
        [](int rank, auto& comm) {
            const std::string host = "node" + std::to_string(rank) + std::string(rank == 3 ? 80 : 0, 'x');
            requireAgreement({{"the job", sha256Hex(rank == 2 ? "other" : "a")},
                              {"the weights", sha256Hex(rank >= 2 ? "other" : "b")}},
                             host, *comm);
        },
        &thrown);
    for (std::size_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(ends[rank], ends[0]);
        ASSERT_TRUE(thrown[rank]);
        EXPECT_THROW(std::rethrow_exception(thrown[rank]), TrainerError);
    }
    EXPECT_NE(ends[0].find("rank 2 on node2 differs from rank 0 in the job"), std::string::npos) << ends[0];
    EXPECT_NE(ends[0].find("rank 2 on node2 differs from rank 0 in the weights"), std::string::npos)
        << ends[0];
    EXPECT_NE(ends[0].find("rank 3 on node3x"), std::string::npos) << ends[0];
    EXPECT_EQ(ends[0].find("rank 1"), std::string::npos) << ends[0];
}

TEST(Digest, seesNamesShapesAndEveryBit) {
    const auto values = at::arange(6, at::kFloat);
    const auto digest = digestOf({{"a", values}});
    EXPECT_EQ(digestOf({{"a", values.clone()}}), digest);
    EXPECT_NE(digestOf({{"b", values}}), digest);
    EXPECT_NE(digestOf({{"a", values.view({2, 3})}}), digest);
    auto changed = values.clone();
    changed[5] = std::nextafter(5.0f, 6.0f);
    EXPECT_NE(digestOf({{"a", changed}}), digest);
    EXPECT_EQ(digestOf({{"a", at::stack({values, values}, 1).select(1, 0)}}), digest)
        << "strides do not count";
}

TEST(Broadcast, givesRankZerosValues) {
    std::vector<std::string> digests(3);
    const auto ends = runRanks(3, 60s, [&](int rank, auto& comm) {
        const std::vector<Parameter> tensors{{"a", at::full({3, 5}, rank + 1.0)},
                                             {"b", at::full({}, rank + 0.5)}};
        broadcastTensors(tensors, *comm);
        EXPECT_EQ(tensors[0].tensor[2][4].template item<double>(), 1);
        EXPECT_EQ(tensors[1].tensor.template item<double>(), 0.5);
        digests[static_cast<std::size_t>(rank)] = digestOf(tensors);
    });
    EXPECT_EQ(ends, std::vector<std::string>(3));
    EXPECT_EQ(digests, std::vector<std::string>(3, digests[0]));
}

} // namespace
} // namespace coxswain::trainer
