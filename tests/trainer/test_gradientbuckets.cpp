// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/ranks.h"
#include "tests/trainer/tinymodel.h"
#include "trainer/train/gradientbuckets.h"

#include <gtest/gtest.h>

namespace coxswain::trainer {
namespace {

using namespace std::chrono_literals;

std::vector<Parameter> parametersOf(const std::vector<std::int64_t>& sizes) {
    std::vector<Parameter> list;
    for (const auto size : sizes)
        list.push_back({std::to_string(list.size()), at::zeros({size}).set_requires_grad(true)});
    return list;
}

TEST(BucketLayout, isReversedAndCapped) {
    const auto parameters = parametersOf({10, 3, 4, 1, 2});
    using Buckets = std::vector<std::vector<std::size_t>>;
    // 4 bytes an element; a bucket of 28 bytes holds 7.
    EXPECT_EQ(planBuckets(parameters, 28).buckets, (Buckets{{4, 3, 2}, {1}, {0}}));
    EXPECT_EQ(planBuckets(parameters, 1).buckets, (Buckets{{4}, {3}, {2}, {1}, {0}}));
    EXPECT_EQ(planBuckets(parameters, 1 << 20).buckets, (Buckets{{4, 3, 2, 1, 0}}));
    EXPECT_EQ(planBuckets(parameters, 28).toJson().dump(), "[[4,3,2],[1],[0]]");
    EXPECT_TRUE(planBuckets({}, 28).buckets.empty());
}

TEST(GradientBuckets, backwardWritesIntoThem) {
    Decoder decoder(parseDecoderConfig(tests::tinyConfig()), at::kCPU);
    Decoder plain(parseDecoderConfig(tests::tinyConfig()), at::kCPU);
    decoder.initialize(1);
    plain.initialize(1);
    GradientBuckets buckets(decoder.parameters(), planBuckets(decoder.parameters(), 8 << 10));
    EXPECT_GT(buckets.count(), 3u);
    const auto ids = Sequences::ofRows(torch::randint(0, 258, {2, 9}, at::kLong));
    const auto labels = torch::randint(0, 258, {18}, at::kLong);
    for (int step = 1; step <= 2; ++step) { // the second does not add to the first
        buckets.zero();
        decoder.lossSum(ids, labels).backward();
        for (const auto& parameter : plain.parameters())
            parameter.tensor.mutable_grad() = at::Tensor();
        plain.lossSum(ids, labels).backward();
        double squares = 0;
        for (std::size_t i = 0; i < decoder.parameters().size(); ++i) {
            const auto& name = decoder.parameters()[i].name;
            const auto& gradient = decoder.parameters()[i].tensor.grad();
            EXPECT_EQ(gradient.const_data_ptr(), buckets.gradients()[i].const_data_ptr()) << name << " moved";
            const auto& expected = plain.parameters()[i].tensor.grad();
            EXPECT_LT(tests::largestDifference(gradient, expected), 1e-6) << name;
            squares += expected.to(at::kDouble).square().sum().item<double>();
        }
        EXPECT_NEAR(buckets.norm(), std::sqrt(squares), 1e-5 * std::sqrt(squares));
    }
    const double norm = buckets.norm();
    buckets.scale(0.5);
    EXPECT_NEAR(buckets.norm(), norm / 2, 1e-6 * norm);
}

TEST(GradientBuckets, ranksSumBucketByBucket) {
    constexpr int world = 3;
    const auto ends = tests::runRanks(world, 60s, [](int rank, auto& comm) {
        const auto parameters = parametersOf({5, 2, 3});
        GradientBuckets buckets(parameters, planBuckets(parameters, 20));
        ASSERT_EQ(buckets.count(), 2u);
        for (std::size_t i = 0; i < parameters.size(); ++i)
            at::Tensor(buckets.gradients()[i]).fill_(static_cast<double>(i) + 10 * rank);
        buckets.reduce(0, *comm);
        // Only the first bucket, that of the last parameters.
        EXPECT_EQ(parameters[2].tensor.grad()[0].template item<double>(), 3 * 2 + 30);
        EXPECT_EQ(parameters[0].tensor.grad()[0].template item<double>(), 10 * rank);
        buckets.reduce(1, *comm);
        EXPECT_EQ(parameters[0].tensor.grad()[4].template item<double>(), 30);
    });
    EXPECT_EQ(ends, std::vector<std::string>(world));
}

TEST(Buffer, namesEveryTypeThatIsSent) {
    const std::pair<at::ScalarType, DataType> rows[] = {
        {at::kFloat, DataType::Float32},     {at::kDouble, DataType::Float64},
        {at::kBFloat16, DataType::BFloat16}, {at::kHalf, DataType::Float16},
        {at::kLong, DataType::Int64},        {at::kByte, DataType::UInt8}};
    for (const auto& [type, expected] : rows) {
        const auto tensor = at::zeros({7}, type);
        const auto buffer = bufferOf(tensor);
        EXPECT_EQ(buffer.type, expected);
        EXPECT_EQ(buffer.bytes(), tensor.nbytes());
        EXPECT_EQ(buffer.data, tensor.data_ptr());
    }
    EXPECT_THROW(bufferOf(at::zeros({7}, at::kBool)), std::exception);
}

} // namespace
} // namespace coxswain::trainer
