// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/run.h"
#include "cluster/job/throughput.h"
#include "tests/job/samplerecord.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace coxswain;
using namespace coxswain::test;

class TestOpenRun : public QObject {
    Q_OBJECT

private slots:
    /// A run's folder that is cut at any byte, or has garbage in it, opens with what it holds.
    void opensWhateverIsThere_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("steps");
        QByteArray whole = QByteArray::fromStdString(wire::toJsonLine({1, 1, wire::StartLine{}}));
        QList<qsizetype> ends;
        for (int step = 1; step <= 4; ++step) {
            wire::StepLine line;
            line.step = step;
            line.loss = 1.0 / step;
            whole += QByteArray::fromStdString(wire::toJsonLine({1, 1.0 * step, line}));
            ends.append(whole.size());
        }
        for (qsizetype cut = 0; cut <= whole.size(); cut += 31) {
            const auto steps =
                std::count_if(ends.begin(), ends.end(), [&](qsizetype end) { return end <= cut; });
            QTest::addRow("cut at %lld", static_cast<long long>(cut))
                << whole.left(cut) << static_cast<int>(steps);
        }
        QTest::newRow("garbage") << "not json\n" + whole + "{\"kind\":5}\n\xff\xfe\n" << 4;
        QTest::newRow("a kind of tomorrow") << whole + "{\"kind\":\"weather\",\"attempt\":1,\"time\":1}\n"
                                            << 4;
    }
    void opensWhateverIsThere() {
        QFETCH(QByteArray, text);
        QFETCH(int, steps);
        const QTemporaryDir place;
        const auto folder = job::RunFolder::create(place.path(), sampleRecord());
        QVERIFY(folder);
        QFile file(folder->file(QStringLiteral("rank-0.jsonl")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        const auto run = job::Run::openFolder(*folder);
        QVERIFY2(run, run ? "" : qPrintable(run.error().text()));
        QCOMPARE((*run)->store().sampleCount(core::SeriesId::Source::Rank, 0), steps);
        QVERIFY(!(*run)->canStop());
        QVERIFY(!(*run)->snapshot().live);
    }

    void throughputIsOverTheNewestSteps() {
        job::Throughput throughput;
        QCOMPARE(throughput.tokensPerSecond(), -1.0);
        wire::StepLine line;
        line.tokens = 100;
        for (int i = 0; i < 50; ++i) {
            line.step = i + 1;
            throughput.take(i * (i < 25 ? 10.0 : 2.0) + (i < 25 ? 0 : 200), line); // slow at first
        }
        QCOMPARE(throughput.secondsPerStep(), 2.0);
        QCOMPARE(throughput.tokensPerSecond(), 50.0);
        line.step = 1; // another attempt
        throughput.take(1000, line);
        QCOMPARE(throughput.secondsPerStep(), -1.0);
    }
};

QTEST_GUILESS_MAIN(TestOpenRun)
#include "tst_openrun.moc"
