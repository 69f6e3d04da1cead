// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/jobspec.h"

#include <gtest/gtest.h>

#include <fstream>

namespace coxswain::wire {
namespace {

using nlohmann::json;

json smallest() {
    return {{"format", "coxswain.job/1.0"},
            {"model", {{"config", {{"model_type", "qwen2"}}}}},
            {"data", {{"source", "text.txt"}}}};
}

/// "field: message" of every fault; empty when the document is good.
std::vector<std::string> faults(const json& document) {
    const auto spec = parseJobSpec(document);
    std::vector<std::string> texts;
    if (!spec)
        for (const auto& error : spec.error())
            texts.push_back(error.text());
    return texts;
}

TEST(JobSpec, defaultsFillTheSmallestFile) {
    const auto spec = parseJobSpec(smallest());
    ASSERT_TRUE(spec) << faults(smallest()).front();
    JobSpec expected;
    expected.model.config = {{"model_type", "qwen2"}};
    expected.data.source = {Input::At::Desktop, "text.txt"};
    EXPECT_EQ(*spec, expected);
}

TEST(JobSpec, comesBackAsItWas) {
    JobSpec spec;
    spec.id = "20261201-verses";
    spec.name = "ünïcode \"name\"";
    spec.model.folder = Input{Input::At::Shared, "/models/qwen"};
    spec.data.source = {Input::At::Node, "shards"};
    spec.runtime = "cu13";
    spec.nodes = {"gpu[01-04]", "me@box:2222"};
    spec.ranksPerNode = 8;
    spec.train.steps = 1'000'000'000;
    spec.train.learningRate = 3.1e-5;
    spec.train.finalLearningRate = 1e-7;
    spec.train.seed = 9007199254740991;
    spec.train.bucketMib = 0.25;
    spec.checkpoint.everySteps = 50;
    spec.deadlines = {1.5, 86400};
    const auto back = parseJobText(toJson(spec).dump());
    ASSERT_TRUE(back) << back.error().front().text();
    EXPECT_EQ(*back, spec);
}

TEST(JobSpec, inputsMayBeShortOrLong) {
    const std::pair<json, Input> rows[] = {
        {"a/b.txt", {Input::At::Desktop, "a/b.txt"}},
        {{{"at", "desktop"}, {"path", "a"}}, {Input::At::Desktop, "a"}},
        {{{"at", "node"}, {"path", "/data"}}, {Input::At::Node, "/data"}},
        {{{"at", "shared"}, {"path", "/nfs"}}, {Input::At::Shared, "/nfs"}},
    };
    for (const auto& [value, input] : rows) {
        auto document = smallest();
        document["data"]["source"] = value;
        const auto spec = parseJobSpec(document);
        ASSERT_TRUE(spec) << value;
        EXPECT_EQ(spec->data.source, input);
    }
}

struct FaultRow {
    const char* pointer;
    json value;
    const char* field; ///< that the error must name
    const char* says;  ///< that must stand in it
};

class Fault : public testing::TestWithParam<FaultRow> {};

TEST_P(Fault, namesItsField) {
    const auto& row = GetParam();
    auto document = smallest();
    document[json::json_pointer(row.pointer)] = row.value;
    const auto spec = parseJobSpec(document);
    ASSERT_FALSE(spec) << row.pointer << ' ' << row.value;
    ASSERT_EQ(spec.error().size(), 1u) << spec.error()[1].text();
    EXPECT_EQ(spec.error().front().field, row.field);
    EXPECT_NE(spec.error().front().message.find(row.says), std::string::npos) << spec.error().front().message;
}

INSTANTIATE_TEST_SUITE_P(
    rows, Fault,
    testing::Values(
        FaultRow{"/format", "coxswain.job/2.0", "format", "another generation"},
        FaultRow{"/format", 1, "format", "names none"}, FaultRow{"/id", 5, "id", "found 5"},
        FaultRow{"/name", "", "name", "one line"}, FaultRow{"/name", "a\nb", "name", "one line"},
        FaultRow{"/name", 3, "name", "expected text"}, FaultRow{"/runtime", "cu99", "runtime", "\"cu13\""},
        FaultRow{"/nodes", "gpu1", "nodes", "list"}, FaultRow{"/nodes", json{"gpu1", 2}, "nodes", "list"},
        FaultRow{"/ranks_per_node", -1, "ranks_per_node", "whole number"},
        FaultRow{"/train", 3, "train", "object"}, FaultRow{"/train/steps", 0, "train.steps", "from 1"},
        FaultRow{"/train/steps", 1.5, "train.steps", "whole number"},
        FaultRow{"/train/steps", "many", "train.steps", "found \"many\""},
        FaultRow{"/train/steps", true, "train.steps", "found true"},
        FaultRow{"/train/steps", nullptr, "train.steps", "found null"},
        FaultRow{"/train/steps", 1e300, "train.steps", "to 1000000000"},
        FaultRow{"/train/global_batch", 0, "train.global_batch", "from 1"},
        FaultRow{"/train/sequence_length", 1, "train.sequence_length", "from 2"},
        FaultRow{"/train/learning_rate", 0, "train.learning_rate", "above 0"},
        FaultRow{"/train/final_learning_rate", 0.5, "train.final_learning_rate",
                 "at most train.learning_rate"},
        FaultRow{"/train/warmup_steps", -1, "train.warmup_steps", "from 0"},
        FaultRow{"/train/beta2", 1, "train.beta2", "to 0.999999"},
        FaultRow{"/train/epsilon", 0, "train.epsilon", "above 0"},
        FaultRow{"/train/seed", -1, "train.seed", "from 0"},
        FaultRow{"/train/seed", 18446744073709551615u, "train.seed", "to 9007199254740991"},
        FaultRow{"/train/bucket_mib", 0, "train.bucket_mib", "above 0"},
        FaultRow{"/train/stepz", 3, "train.stepz", "did you mean \"train.steps\"?"},
        FaultRow{"/trian", json::object(), "trian", "did you mean \"train\"?"},
        FaultRow{"/weather_report_for_today", 1, "weather_report_for_today", "unknown field"},
        FaultRow{"/checkpoint/every_steps", -1, "checkpoint.every_steps", "from 0"},
        FaultRow{"/deadlines/startup_seconds", 0.5, "deadlines.startup_seconds", "from 1"},
        FaultRow{"/deadlines/collective_seconds", 1e6, "deadlines.collective_seconds", "to 86400"},
        FaultRow{"/data/source", "", "data.source", "expected a path"},
        FaultRow{"/data/source", json{{"at", "node"}}, "data.source", "expected a path"},
        FaultRow{"/data/source", json{{"at", "moon"}, {"path", "x"}}, "data.source.at", "\"moon\""},
        FaultRow{"/data/kind", "images", "data.kind", "\"text\""},
        FaultRow{"/model/folder", "also", "model", "either"},
        FaultRow{"/model/config", json::object(), "model.config", "model_type"},
        FaultRow{"/model/config", 5, "model.config", "model_type"}));

TEST(JobSpec, reportsEveryFaultAtOnce) {
    auto document = smallest();
    document["train"] = {{"steps", -1}, {"warmup", 3}, {"seed", "x"}};
    document.erase("data");
    EXPECT_EQ(faults(document).size(), 4u);
}

TEST(JobSpec, aNewerMinorMaySayMore) {
    auto document = smallest();
    document["format"] = "coxswain.job/1.4";
    document["train"]["momentum_of_the_future"] = 3;
    EXPECT_TRUE(parseJobSpec(document));
    document["train"]["steps"] = 0; // what is known is still checked
    EXPECT_EQ(faults(document).size(), 1u);
}

TEST(JobSpec, textThatIsNotJsonNamesItsLine) {
    const auto spec = parseJobText("{\n  \"format\": \"coxswain.job/1.0\",\n  oops\n}");
    ASSERT_FALSE(spec);
    EXPECT_NE(spec.error().front().text().find("line 3"), std::string::npos) << spec.error().front().text();
    for (const char* text : {"", "[]", "null", "3"})
        EXPECT_FALSE(parseJobText(text)) << text;
}

TEST(SetField, readsJsonAndElseText) {
    auto document = smallest();
    ASSERT_TRUE(setField(document, "train.steps", "50"));
    ASSERT_TRUE(setField(document, "name", "night run"));
    ASSERT_TRUE(setField(document, "nodes", R"(["a", "b"])"));
    ASSERT_TRUE(setField(document, "model.config.hidden_size", "64"));
    const auto spec = parseJobSpec(document);
    ASSERT_TRUE(spec) << faults(document).front();
    EXPECT_EQ(spec->train.steps, 50);
    EXPECT_EQ(spec->name, "night run");
    EXPECT_EQ(spec->nodes, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(spec->model.config.at("hidden_size"), 64);
}

TEST(SetField, refusesWhatIsNoField) {
    for (const char* path : {"", ".", "train.", ".steps", "train..steps", "train.stepz", "model.config."}) {
        auto document = smallest();
        EXPECT_FALSE(setField(document, path, "1")) << path;
        EXPECT_EQ(document, smallest()) << path;
    }
    auto document = smallest();
    document["train"] = 3;
    EXPECT_FALSE(setField(document, "train.steps", "1"));
}

TEST(JobFields, areAllReadAndWritten) {
    const json written = toJson(*parseJobSpec(smallest()));
    ASSERT_GT(jobFields().size(), 15u);
    for (const auto& field : jobFields()) {
        std::string pointer = "/" + field.path;
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        EXPECT_EQ(written.at(json::json_pointer(pointer)), field.defaultValue) << field.path;
        EXPECT_FALSE(field.help.empty()) << field.path;
        if (field.type == FieldInfo::Type::Whole || field.type == FieldInfo::Type::Real) {
            auto document = smallest();
            document[json::json_pointer(pointer)] = field.maximum * 2 + 1;
            ASSERT_EQ(faults(document).size(), 1u) << field.path;
        }
    }
}

TEST(JobSpec, theExampleIsGood) {
    std::ifstream file(EXAMPLE_JOB);
    const auto spec = parseJobSpec(json::parse(file));
    ASSERT_TRUE(spec) << spec.error().front().text();
    EXPECT_LE(spec->train.learningRate, 1e-3);
    for (const int ranks : {1, 2, 3})
        EXPECT_EQ(spec->train.globalBatch % ranks, 0);
}

} // namespace
} // namespace coxswain::wire
