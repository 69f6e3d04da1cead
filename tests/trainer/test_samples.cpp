// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/samples.h"
#include "trainer/dist/errors.h"

#include <gtest/gtest.h>

#include <sstream>

namespace coxswain::trainer {
namespace {

using Ids = std::vector<std::int64_t>;

std::vector<Sample> read(const std::string& text) {
    std::istringstream stream(text);
    return readSamples(stream, 100, 5, [](const std::string& line) {
        return std::vector<std::int32_t>(line.begin(), line.end());
    });
}

TEST(Samples, labelsAreShifted) {
    const auto samples = read("{\"tokens\": [1, 2, 3], \"labels\": [-100, 2, 3]}\r\n\n"
                              "{\"tokens\": [4, 5, 6]}\n{\"text\": \"!#\"}\n#!\n{\"tokens\": [7]}");
    ASSERT_EQ(samples.size(), 5u);
    EXPECT_EQ(samples[0].tokens, (Ids{1, 2, 3}));
    EXPECT_EQ(samples[0].labels, (Ids{2, 3, -100}));
    EXPECT_EQ(samples[1].labels, (Ids{5, 6, -100}));
    EXPECT_EQ(samples[2].tokens, (Ids{33, 35}));
    EXPECT_EQ(samples[2].labels, (Ids{35, -100}));
    EXPECT_EQ(samples[3].tokens, (Ids{35, 33}));
    EXPECT_EQ(samples[4].labels, (Ids{-100}));
    EXPECT_EQ(samples[0].targets(), 2);
    EXPECT_EQ(samples[4].targets(), 0);
}

TEST(Samples, faultsAreNamedByTheirLine) {
    const std::pair<const char*, const char*> rows[] = {
        {"\n\n", "no sample"},
        {"!\n{\"tokens\": [1, 100]}", "line 2: \"tokens\": expected 0 to 99, found 100"},
        {"{\"tokens\": [1, -100]}", "line 1: \"tokens\": expected 0 to 99, found -100"},
        {"{\"tokens\": [1], \"labels\": [-1]}", "line 1: \"labels\": expected 0 to 99, found -1"},
        {"{\"tokens\": [1, 2], \"labels\": [1]}", "as many labels as tokens, found 1 and 2"},
        {"{\"tokens\": \"1\"}", "line 1: \"tokens\": expected a list of whole numbers"},
        {"{\"tokens\": [1.5]}", "expected a list of whole numbers"},
        {"{\"tokens\": []}", "line 1: it has no tokens"},
        {"{\"tokens\": [1,2,3,4,5,6]}", "line 1: it has 6 tokens, more than the model's 5 positions"},
        {"{\"sentence\": \"a\"}", "line 1: expected {\"tokens\""}};
    for (const auto& [text, says] : rows) {
        try {
            read(text);
            ADD_FAILURE() << text << " was read";
        } catch (const TrainerError& error) {
            EXPECT_EQ(error.code(), wire::ExitCode::BadData);
            EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
        }
    }
}

} // namespace
} // namespace coxswain::trainer
