// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/plan.h"
#include "tests/core/samplenodes.h"

#include <QTest>

using namespace coxswain::core;
using namespace coxswain::core::samples;
namespace wire = coxswain::wire;
using nlohmann::json;

namespace {

/// "node1@10.0.0.1 ranks 0+1 lanes 0+6 threads 16; …"
QString summary(const Plan& plan) {
    QStringList parts;
    for (const PlannedNode& node : plan.nodes)
        parts.append(QStringLiteral("%1@%2 ranks %3+%4 lanes %5+%6 threads %7")
                         .arg(node.host.toString(), node.address)
                         .arg(node.firstRank)
                         .arg(node.rankCount)
                         .arg(node.lanes.first)
                         .arg(node.lanes.count)
                         .arg(node.threadsPerRank));
    return parts.join(QStringLiteral("; "));
}

} // namespace

class PlanTest : public QObject {
    Q_OBJECT
private slots:
    void threeCpuNodes() {
        const auto plan = makePlan(smallJob(), candidates({healthyNode(1), healthyNode(2), healthyNode(3)}));
        QVERIFY(plan.has_value());
        QCOMPARE(summary(*plan),
                 QString("node1@10.0.0.1 ranks 0+1 lanes 0+6 threads 16; node2@10.0.0.2 ranks 1+1 lanes 6+5 "
                         "threads 16; node3@10.0.0.3 ranks 2+1 lanes 11+5 threads 16"));
        QCOMPARE(plan->worldSize, 3);
        QCOMPARE(plan->runtime, QString("cpu"));
        QVERIFY(plan->runtimeReason.contains("node1"));
        QCOMPARE(plan->subnet->cidr, QString("10.0.0.0/24"));
        QCOMPARE(plan->tokensPerStep, 16 * 128);
        QCOMPARE(plan->nodes[1].base, QString("/root/.coxswain"));
        QCOMPARE(plan->nodes[1].index, 1);
        for (int rank = 0; rank < 3; ++rank)
            QCOMPARE(nodeOfRank(*plan, rank).index, rank);
    }

    void onThisMachine() {
        wire::JobSpec spec = smallJob();
        spec.ranksPerNode = 2;
        Candidate local{{{}, "local", 0}, healthyNode(1)};
        const auto plan = makePlan(spec, {local});
        QVERIFY(plan.has_value());
        QCOMPARE(summary(*plan), QString("local@127.0.0.1 ranks 0+2 lanes 0+16 threads 8"));
        QVERIFY(!plan->subnet.has_value());
    }

    void gpus() {
        Inventory second = healthyNode(2, 4);
        second.nvidia.gpus[1].usable = false;
        wire::JobSpec spec = smallJob();
        const auto plan = makePlan(spec, candidates({healthyNode(1, 2), second}));
        QVERIFY(plan.has_value());
        QCOMPARE(plan->runtime, QString("cu13"));
        QCOMPARE(plan->worldSize, 5);
        QCOMPARE(plan->nodes[1].gpus, (QList<int>{0, 2, 3}));
        QCOMPARE(nodeOfRank(*plan, 1).index, 0);
        QCOMPARE(nodeOfRank(*plan, 2).index, 1);
        QCOMPARE(plan->nodes[0].threadsPerRank, 8);

        spec.ranksPerNode = 2;
        spec.train.threadsPerRank = 3;
        const auto two = makePlan(spec, candidates({healthyNode(1, 2), second}));
        QVERIFY(two.has_value());
        QCOMPARE(two->nodes[1].gpus, (QList<int>{0, 2}));
        QCOMPARE(two->nodes[1].threadsPerRank, 3);

        spec.runtime = "cpu";
        const auto cpu = makePlan(spec, candidates({healthyNode(1, 2)}));
        QVERIFY(cpu.has_value());
        QCOMPARE(cpu->runtime, QString("cpu"));
        QVERIFY(cpu->nodes[0].gpus.isEmpty());
    }

    void moreRanksThanCores() {
        wire::JobSpec spec = smallJob();
        spec.ranksPerNode = 3;
        Inventory node = healthyNode(1);
        node.cores = 2;
        const auto plan = makePlan(spec, candidates({node}));
        QVERIFY(plan.has_value());
        QCOMPARE(plan->nodes[0].threadsPerRank, 1);
    }

    void faults() {
        wire::JobSpec spec = smallJob();
        spec.train.globalBatch = 2;
        auto plan = makePlan(spec, candidates({healthyNode(1), healthyNode(2), healthyNode(3)}));
        QVERIFY(!plan);
        QCOMPARE(plan.error().code, ErrorCode::BadInput);
        QVERIFY(plan.error().seen.startsWith("train.global_batch: "));
        QVERIFY(plan.error().fix.contains("3"));

        spec = smallJob();
        spec.runtime = "cu13";
        plan = makePlan(spec, candidates({healthyNode(1, 1), healthyNode(2)}));
        QVERIFY(!plan);
        QCOMPARE(plan.error().host, QString("node2"));
        QVERIFY(plan.error().seen.startsWith("runtime: "));

        spec.ranksPerNode = 3;
        plan = makePlan(spec, candidates({healthyNode(1, 2)}));
        QVERIFY(!plan);
        QVERIFY(plan.error().seen.startsWith("ranks_per_node: "));

        Inventory elsewhere = healthyNode(2);
        elsewhere.interfaces[1].address = "10.9.9.9";
        plan = makePlan(smallJob(), candidates({healthyNode(1), elsewhere}));
        QVERIFY(!plan);
        QVERIFY(plan.error().seen.startsWith("nodes: "));

        QVERIFY(!makePlan(smallJob(), {}));
    }

    /// models.md, table 1; [V] figures were counted by transformers.
    void parameters_data() {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<double>("billions");
        QTest::newRow("R1-Distill-Qwen-1.5B")
            << QByteArray(
                   R"({"model_type": "qwen2", "hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28,
            "num_attention_heads": 12, "num_key_value_heads": 2, "vocab_size": 151936, "tie_word_embeddings": false})")
            << 1.777;
        const auto gemma = [](int hidden, int ffn, int layers, int heads, int kv, int dim) {
            return QStringLiteral(
                       R"({"model_type": "gemma3", "vision_config": {}, "text_config": {"model_type": "gemma3_text", "hidden_size": %1, "intermediate_size": %2,
                "num_hidden_layers": %3, "num_attention_heads": %4, "num_key_value_heads": %5, "head_dim": %6, "vocab_size": 262208, "tie_word_embeddings": null}})")
                .arg(hidden)
                .arg(ffn)
                .arg(layers)
                .arg(heads)
                .arg(kv)
                .arg(dim)
                .toUtf8();
        };
        QTest::newRow("Gemma 3 4B") << gemma(2560, 10240, 34, 8, 4, 256) << 3.880;
        QTest::newRow("Gemma 3 4B, silent on defaults")
            << QByteArray(
                   R"({"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34})")
            << 3.880;
        QTest::newRow("Gemma 3 12B") << gemma(3840, 15360, 48, 16, 8, 256) << 11.766;
        QTest::newRow("Gemma 3 27B") << gemma(5376, 21504, 62, 32, 16, 128) << 27.009;
        QTest::newRow("Hunyuan-MT-7B")
            << QByteArray(
                   R"({"model_type": "hunyuan_v1_dense", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
            "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 128167, "tie_word_embeddings": true})")
            << 7.505;
        QTest::newRow("SmolLM2-135M")
            << QByteArray(
                   R"({"model_type": "llama", "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
            "num_attention_heads": 9, "num_key_value_heads": 3, "vocab_size": 49152, "tie_word_embeddings": true})")
            << 0.135;
        QTest::newRow("unknown family")
            << QByteArray(R"({"model_type": "mamba", "hidden_size": 1536})") << 0.0;
        QTest::newRow("no type") << QByteArray(R"({"hidden_size": 1536})") << 0.0;
        QTest::newRow("sizes missing") << QByteArray(R"({"model_type": "llama", "hidden_size": 576})") << 0.0;
        QTest::newRow("sizes of another type")
            << QByteArray(R"({"model_type": "llama", "hidden_size": "576", "vocab_size": -1})") << 0.0;
        QTest::newRow("type of another type") << QByteArray(R"({"model_type": 5})") << 0.0;
        QTest::newRow("not an object") << QByteArray("[1]") << 0.0;
        QTest::newRow("null") << QByteArray("null") << 0.0;
    }
    void parameters() {
        QFETCH(QByteArray, config);
        QFETCH(double, billions);
        const double seen = double(estimateParameters(json::parse(config.constData()))) / 1e9;
        QVERIFY2(std::abs(seen - billions) < 0.0005, qPrintable(QString::number(seen, 'f', 6)));
    }

    void memory() {
        wire::JobSpec spec = smallJob();
        const auto small = makePlan(spec, candidates({healthyNode(1)}));
        QVERIFY(small.has_value());
        // 16 bytes a parameter, 256 MiB, and 16 × 128 tokens of 2 × (5×64 + 3×6×16 + 4×192) + 2 × 256 floats.
        const qint64 expected =
            16 * small->parameters + (qint64(256) << 20) + 4 * 2048 * (2 * (320 + 288 + 768) + 512);
        QCOMPARE(small->memoryPerRank, expected);
        spec.ranksPerNode = 2;
        const auto shared = makePlan(spec, candidates({healthyNode(1)}));
        QVERIFY(shared->memoryPerRank < small->memoryPerRank);
        spec.model.config = nullptr;
        spec.model.folder = wire::Input{};
        QCOMPARE(makePlan(spec, candidates({healthyNode(1)}))->memoryPerRank, 0);
    }
};

QTEST_APPLESS_MAIN(PlanTest)
#include "tst_plan.moc"
