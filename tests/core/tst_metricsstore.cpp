// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/metricsstore.h"
#include "tests/core/metriclines.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>

using namespace coxswain;
using namespace coxswain::core;
using namespace coxswain::core::samples;
using Source = SeriesId::Source;

namespace {

const double notANumber = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

std::unique_ptr<MetricsStore> opened(const QString& folder) {
    auto store = MetricsStore::open(folder);
    if (!store)
        qWarning("%s", qPrintable(store.error().text()));
    return store ? std::move(*store) : nullptr;
}

bool add(MetricsStore& store, const wire::MetricsLine& line, int index = 0, Source source = Source::Rank) {
    const auto added = store.append(source, index, line);
    if (!added)
        qWarning("%s", qPrintable(added.error().text()));
    return added.has_value();
}

/// "first..last min/mean/max xcount!": exact texts, so that a table can hold them.
QString text(const QList<Bin>& bins) {
    QStringList parts;
    for (const Bin& bin : bins)
        parts.append(QStringLiteral("%1..%2 %3/%4/%5 x%6%7")
                         .arg(bin.first)
                         .arg(bin.last)
                         .arg(bin.minimum)
                         .arg(bin.mean)
                         .arg(bin.maximum)
                         .arg(bin.count)
                         .arg(bin.nonFinite ? QStringLiteral("!") : QString()));
    return parts.join(QStringLiteral("; "));
}

SeriesId loss(int rank = 0) {
    return {Source::Rank, rank, "loss"};
}

} // namespace

class MetricsStoreTest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void emptyStore() {
        const auto store = opened(m_folder->filePath("store"));
        QVERIFY(store);
        QVERIFY(store->sources(Source::Rank).isEmpty() && store->events().isEmpty());
        QVERIFY(store->bins(loss(), Axis::Step, 0, 10, 10).isEmpty());
        QVERIFY(!store->extent(loss(), Axis::Step) && !store->latest(Source::Rank, 0));
        QCOMPARE(store->sampleCount(Source::Rank, 0), 0);
        QCOMPARE(store->position(Source::Rank, 0), 0);
    }

    void everyMetricOfALine() {
        const auto store = opened(m_folder->path());
        wire::MetricsLine line = stepLine(1, 2.5);
        auto& step = std::get<wire::StepLine>(line.body);
        step.memory.gpuUsed = 77;
        QVERIFY(add(*store, line, 3));
        QCOMPARE(store->sources(Source::Rank), QList<int>{3});
        QCOMPARE(
            store->metrics(Source::Rank, 3),
            (QStringList{"epoch", "loss", "rank_loss", "tokens", "rank_tokens", "learning_rate",
                         "gradient_norm", "milliseconds.data", "milliseconds.forward",
                         "milliseconds.backward", "milliseconds.communication_wait", "milliseconds.optimizer",
                         "milliseconds.total", "memory.resident", "memory.gpu_used"}));
        const auto value = [&](const char* metric) {
            const auto bins = store->bins({Source::Rank, 3, metric}, Axis::Step, 1, 1, 1);
            return bins.size() == 1 ? bins[0].mean : -1;
        };
        QCOMPARE(value("loss"), 2.5);
        QCOMPARE(value("rank_loss"), step.rankLoss);
        QCOMPARE(value("milliseconds.communication_wait"), step.milliseconds.communicationWait);
        QCOMPARE(value("memory.gpu_used"), 77.0);
        QCOMPARE(value("memory.gpu_total"), -1.0); // absent is not 0
    }

    void nodeLines() {
        const auto store = opened(m_folder->path());
        wire::MetricsLine line;
        line.time = 5;
        wire::NodeLine node;
        node.cpuPercent = 50;
        node.gpus = {"0, 2000, 24564, 98, 71, 402.5", "2, [N/A], [N/A], 3, [N/A], [N/A]",
                     "No devices were found"};
        line.body = node;
        QVERIFY(add(*store, line, 1, Source::Node));
        QVERIFY(add(*store, line, 1, Source::Node)); // again: ignored
        QCOMPARE(store->sampleCount(Source::Node, 1), 1);
        QCOMPARE(store->metrics(Source::Node, 1),
                 (QStringList{"cpu_percent", "gpu.0.memory_used", "gpu.0.memory_total", "gpu.0.utilisation",
                              "gpu.0.temperature", "gpu.0.power", "gpu.2.utilisation"}));
        QCOMPARE(text(store->bins({Source::Node, 1, "gpu.0.memory_used"}, Axis::Time, 0, 10, 5)),
                 QString("5..5 2.09715e+09/2.09715e+09/2.09715e+09 x1"));
        QVERIFY(store->bins({Source::Node, 1, "cpu_percent"}, Axis::Step, 0, 10, 5).isEmpty());
        QVERIFY(!store->extent({Source::Node, 1, "cpu_percent"}, Axis::Step));
    }

    void binsOfATable() {
        const auto store = opened(m_folder->path());
        for (const auto& [step, value] : std::initializer_list<std::pair<int, double>>{{1, 5},
                                                                                       {2, 4},
                                                                                       {3, notANumber},
                                                                                       {4, infinity},
                                                                                       {5, 3},
                                                                                       {6, 2},
                                                                                       {7, notANumber},
                                                                                       {8, notANumber}})
            QVERIFY(add(*store, stepLine(step, value)));
        const auto bins = [&](double from, double to, int most) {
            return text(store->bins(loss(), Axis::Step, from, to, most));
        };
        // As many bins as samples: each one is exact.
        QCOMPARE(bins(1, 4, 4),
                 QString("1..1 5/5/5 x1; 2..2 4/4/4 x1; 3..3 nan/nan/nan x1!; 4..4 nan/nan/nan x1!"));
        QCOMPARE(bins(5.5, 6.5, 1), QString("6..6 2/2/2 x1"));
        QCOMPARE(bins(1, 8, 2), QString("1..4 4/4.5/5 x4!; 5..8 2/2.5/3 x4!"));
        QCOMPARE(bins(1, 8, 1), QString("1..8 2/3.5/5 x8!"));
        QCOMPARE(bins(-100, 100, 4), QString("1..8 2/3.5/5 x8!"));
        QCOMPARE(bins(9, 20, 4), QString());
        QCOMPARE(bins(8, 1, 4), QString());
        QCOMPARE(bins(1, 8, 0), QString());
        QCOMPARE(bins(notANumber, 8, 4), QString());
        QCOMPARE(bins(-infinity, infinity, 4), QString());
        QCOMPARE(*store->extent(loss(), Axis::Step), (std::pair<double, double>(1, 8)));
    }

    void missingIsNotNan() {
        const auto store = opened(m_folder->path());
        for (int step = 1; step <= 40; ++step) {
            wire::MetricsLine line = stepLine(step, 1);
            if (step > 20 && step != 30)
                std::get<wire::StepLine>(line.body).memory.gpuUsed = step;
            QVERIFY(add(*store, line));
        }
        const SeriesId gpu{Source::Rank, 0, "memory.gpu_used"};
        QVERIFY(store->bins(gpu, Axis::Step, 1, 20, 20).isEmpty());
        QCOMPARE(text(store->bins(gpu, Axis::Step, 29, 31, 10)),
                 QString("29..29 29/29/29 x1; 31..31 31/31/31 x1"));
        QCOMPARE(text(store->bins(gpu, Axis::Step, 1, 40, 1)),
                 QString("1..40 21/%1/40 x19").arg((30.5 * 20 - 30) / 19));
    }

    void laterAttemptsReplaceSteps() {
        const auto store = opened(m_folder->path());
        for (int step = 1; step <= 10; ++step)
            QVERIFY(add(*store, stepLine(step, 100 + step, 1)));
        for (int step = 4; step <= 6; ++step)
            QVERIFY(add(*store, stepLine(step, 200 + step, 2)));
        for (int step = 6; step <= 7; ++step)
            QVERIFY(add(*store, stepLine(step, 300 + step, 3)));
        QStringList seen;
        for (const Bin& bin : store->bins(loss(), Axis::Step, 0, 100, 100))
            seen.append(QStringLiteral("%1:%2").arg(bin.first).arg(bin.mean));
        QCOMPARE(seen.join(u' '), QString("1:101 2:102 3:103 4:204 5:205 6:306 7:307 8:108 9:109 10:110"));
        QCOMPARE(text(store->bins(loss(), Axis::Step, 1, 10, 1)),
                 QString("1..10 101/%1/307 x10")
                     .arg((101 + 102 + 103 + 204 + 205 + 306 + 307 + 108 + 109 + 110) / 10.0));
        QCOMPARE(*store->extent(loss(), Axis::Step), (std::pair<double, double>(1, 10)));
        QCOMPARE(store->bins(loss(), Axis::Time, 0, 1e9, 100).size(), 15); // nothing is thrown away
    }

    void repeatedLinesChangeNothing() {
        const auto store = opened(m_folder->path());
        QList<wire::MetricsLine> lines{startLine(1),   stepLine(1, 5),
                                       stepLine(2, 4), eventLine(2, "checkpoint"),
                                       startLine(2),   stepLine(2, 3, 2)};
        for (int round = 0; round < 3; ++round)
            for (const auto& line : lines)
                QVERIFY(add(*store, line));
        QCOMPARE(store->sampleCount(Source::Rank, 0), 3);
        QCOMPARE(store->events().size(), 3);
        const quint64 revision = store->revision();
        QVERIFY(add(*store, lines[1]));
        QCOMPARE(store->revision(), revision);
    }

    void clockSetBack() {
        const auto store = opened(m_folder->path());
        for (const auto& [step, time] :
             std::initializer_list<std::pair<int, double>>{{1, 100}, {2, 101}, {3, 11}, {4, 12}, {5, 102}}) {
            auto line = stepLine(step, step);
            line.time = time;
            QVERIFY(add(*store, line));
        }
        const auto bins = store->bins(loss(), Axis::Time, 0, 1000, 5);
        QCOMPARE(bins.size(), 5);
        for (qsizetype i = 1; i < bins.size(); ++i)
            QVERIFY(bins[i].first >= bins[i - 1].first);
        QCOMPARE(std::get<wire::StepLine>(store->latest(Source::Rank, 0)->body).step, 5);
    }

    void wrongKindsAreRefused() {
        const auto store = opened(m_folder->path());
        QVERIFY(!store->append(Source::Node, 0, stepLine(1, 1)));
        wire::MetricsLine node;
        node.body = wire::NodeLine{};
        QVERIFY(!store->append(Source::Rank, 0, node));
        QVERIFY(store->sources(Source::Rank).isEmpty());
    }

    void reopened() {
        {
            const auto store = opened(m_folder->path());
            for (int step = 1; step <= 1000; ++step)
                QVERIFY(add(*store, stepLine(step, step)));
            QVERIFY(add(*store, eventLine(7, "checkpoint")));
            QVERIFY(add(*store, stepLine(500, -1, 2)));
            wire::MetricsLine node;
            node.time = 9;
            wire::NodeLine sample;
            sample.memoryUsed = 123;
            sample.gpus = {"0, 2000, 24564, 98, 71, 402.5"};
            node.body = sample;
            QVERIFY(add(*store, node, 0, Source::Node));
            store->setPosition(Source::Rank, 0, 4711);
            QCOMPARE(MetricsStore::open(m_folder->path()).error().code, ErrorCode::Conflict);
        }
        const auto store = opened(m_folder->path());
        QCOMPARE(store->sampleCount(Source::Rank, 0), 1001);
        QCOMPARE(store->position(Source::Rank, 0), 4711);
        QCOMPARE(store->events().size(), 1);
        QCOMPARE(std::get<wire::EventLine>(store->events()[0].body).event, std::string("checkpoint"));
        const auto latest = store->latest(Source::Rank, 0);
        QCOMPARE(latest->attempt, 2);
        QCOMPARE(wire::toJsonLine(*latest), wire::toJsonLine(stepLine(500, -1, 2)));
        const auto node = store->latest(Source::Node, 0);
        QCOMPARE(std::get<wire::NodeLine>(node->body).memoryUsed, std::optional<std::int64_t>(123));
        QCOMPARE(std::get<wire::NodeLine>(node->body).gpus[0], std::string("0, 2000, 24564, 98, 71, 402.5"));
        QCOMPARE(text(store->bins(loss(), Axis::Step, 499, 501, 3)),
                 QString("499..499 499/499/499 x1; 500..500 -1/-1/-1 x1; 501..501 501/501/501 x1"));
        QVERIFY(add(*store, stepLine(501, -2, 2)));
        QCOMPARE(store->sampleCount(Source::Rank, 0), 1002);
    }

    /// A file that was cut at any byte, or has garbage anywhere, opens or is made anew; what then comes is
    /// kept.
    void cutAnywhere_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("columns") << "rank-0.columns";
        QTest::newRow("events") << "events.jsonl";
    }
    void cutAnywhere() {
        QFETCH(QString, file);
        {
            const auto store = opened(m_folder->path());
            QVERIFY(add(*store, startLine(1)));
            for (int step = 1; step <= 600; ++step)
                QVERIFY(add(*store, stepLine(step, step)));
            QVERIFY(add(*store, eventLine(7, "checkpoint")));
        }
        const bool cutEvents = file == "events.jsonl";
        const QByteArray columns = contents("rank-0.columns");
        const QByteArray events = contents("events.jsonl");
        const qsizetype whole = (cutEvents ? events : columns).size();
        QVERIFY(whole > 100);
        for (qsizetype size = 0; size < whole; size += std::max<qsizetype>(1, whole / 200)) {
            put("rank-0.columns", cutEvents ? columns : columns.left(size));
            put("events.jsonl", cutEvents ? events.left(size) : events);
            const auto store = opened(m_folder->path());
            QVERIFY(store);
            QCOMPARE(store->sampleCount(Source::Rank, 0), 0);
            QVERIFY(store->events().isEmpty());
            QVERIFY(add(*store, startLine(1)) && add(*store, stepLine(1, 5)));
            QCOMPARE(store->sampleCount(Source::Rank, 0), 1);
        }
    }

    void garbageAnywhere() {
        {
            const auto store = opened(m_folder->path());
            for (int step = 1; step <= 300; ++step)
                QVERIFY(add(*store, stepLine(step, step)));
        }
        const QByteArray whole = contents("rank-0.columns");
        for (qsizetype at = 0; at + 8 < whole.size(); at += at < 4500 ? 12 : 4999) {
            for (const char byte : {'\0', '\xff'}) {
                QByteArray bad = whole;
                bad.replace(at, 8, QByteArray(8, byte));
                put("rank-0.columns", bad);
                const auto store = opened(m_folder->path());
                QVERIFY(store);
                const auto bins = store->bins(loss(), Axis::Step, 0, 1e6, 50);
                QVERIFY(bins.size() <= 50);
                (void)store->bins(loss(), Axis::Time, 0, 1e12, 50);
                QVERIFY(add(*store, stepLine(1000000, 5)));
            }
        }
    }

    void killedWhileItAppends();
    void binsAgainstBruteForce();
    void manySources();
    void appendIsFastAndMemoryIsBounded();

private:
    QByteArray contents(const QString& name) const {
        QFile file(m_folder->filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void put(const QString& name, const QByteArray& bytes) const {
        QFile file(m_folder->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }
};

namespace {

struct Sample {
    double x;
    double value;
    bool missing;
};

/// What bins() promises, the plain way.
QList<Bin> plainBins(const std::vector<Sample>& samples, double from, double to, int maxBins) {
    std::vector<Sample> inside;
    for (const Sample& sample : samples)
        if (sample.x >= from && sample.x <= to)
            inside.push_back(sample);
    std::map<qint64, std::vector<Sample>> groups;
    for (std::size_t i = 0; i < inside.size(); ++i) {
        const bool alone = inside.size() <= std::size_t(maxBins);
        const qint64 bin =
            to > from ? std::min<qint64>(maxBins - 1, qint64((inside[i].x - from) / (to - from) * maxBins))
                      : 0;
        groups[alone ? qint64(i) : bin].push_back(inside[i]);
    }
    QList<Bin> bins;
    for (const auto& [key, group] : groups) {
        Bin bin{group.front().x, group.back().x, notANumber, notANumber, notANumber, 0, false};
        double sum = 0;
        int finite = 0;
        for (const Sample& sample : group) {
            bin.count += sample.missing ? 0 : 1;
            bin.nonFinite = bin.nonFinite || (!sample.missing && !std::isfinite(sample.value));
            if (sample.missing || !std::isfinite(sample.value))
                continue;
            bin.minimum = finite ? std::min(bin.minimum, sample.value) : sample.value;
            bin.maximum = finite ? std::max(bin.maximum, sample.value) : sample.value;
            sum += sample.value;
            ++finite;
        }
        bin.mean = finite ? sum / finite : notANumber;
        if (bin.count > 0)
            bins.append(bin);
    }
    return bins;
}

bool same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(a));
}

} // namespace

void MetricsStoreTest::binsAgainstBruteForce() {
    quint32 state = 12345; // a fixed sequence: a failure can be seen again
    const auto random = [&](quint32 below) {
        state = state * 1664525U + 1013904223U;
        return (state >> 8) % below;
    };
    const auto store = opened(m_folder->path());
    std::map<qint64, Sample> bySteps;
    std::vector<Sample> byTime;
    qint64 step = 0;
    double time = 1000;
    int attempt = 1;
    for (int i = 0; i < 20000; ++i) {
        if (random(3000) == 0) {
            ++attempt;
            step = std::max<qint64>(0, step - random(2000));
        }
        step += random(50) == 0 ? 1 + random(5) : 1;
        time += random(100) / 10.0;
        auto line = stepLine(step, 0, attempt);
        line.time = time;
        auto& body = std::get<wire::StepLine>(line.body);
        const bool missing = random(10) == 0 || i < 300;
        const double value =
            random(200) == 0 ? (random(2) ? notANumber : infinity) : random(1000000) / 1000.0 - 500;
        body.loss = value;
        if (!missing)
            body.memory.gpuUsed = std::int64_t(random(1000000));
        QVERIFY(add(*store, line));
        const Sample gpu{double(step), double(body.memory.gpuUsed.value_or(0)), missing};
        bySteps[step] = gpu;
        byTime.push_back({time, value, false});
    }
    // Gaps inside a later attempt also hide what was there before: take its steps as replaced.
    std::vector<Sample> steps;
    for (const Bin& bin : store->bins({Source::Rank, 0, "epoch"}, Axis::Step, 0, 1e9, 1000000))
        steps.push_back(bySteps.at(qint64(bin.first)));
    QVERIFY(steps.size() > 5000 && steps.size() <= bySteps.size());
    for (int query = 0; query < 400; ++query) {
        const bool onTime = query % 2;
        const double span = onTime ? time - 1000 : double(step);
        const double from = (onTime ? 1000 : 0) + random(1000) / 1000.0 * span;
        const double to = from + span / (1 + random(50)) * random(100) / 100.0;
        const int most = 1 + int(random(400));
        const auto seen = onTime
                              ? store->bins(loss(), Axis::Time, from, to, most)
                              : store->bins({Source::Rank, 0, "memory.gpu_used"}, Axis::Step, from, to, most);
        const auto expected = plainBins(onTime ? byTime : steps, from, to, most);
        QVERIFY(seen.size() <= most);
        QCOMPARE(seen.size(), expected.size());
        for (qsizetype i = 0; i < seen.size(); ++i) {
            const bool equal =
                same(seen[i].first, expected[i].first) && same(seen[i].last, expected[i].last) &&
                same(seen[i].minimum, expected[i].minimum) && same(seen[i].maximum, expected[i].maximum) &&
                same(seen[i].mean, expected[i].mean) && seen[i].count == expected[i].count &&
                seen[i].nonFinite == expected[i].nonFinite;
            QVERIFY2(equal, qPrintable(text({seen[i]}) + " expected " + text({expected[i]})));
        }
    }
}

/// kill -9 at any moment loses nothing that was counted, and what comes next is appended behind it.
void MetricsStoreTest::killedWhileItAppends() {
    qint64 steps = 0;
    for (int round = 0; round < 12; ++round) {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto store = opened(m_folder->path());
            for (qint64 step = steps + 1; store; ++step) {
                auto line = stepLine(step, double(step));
                if (step > 500) // a column that begins late
                    std::get<wire::StepLine>(line.body).memory.gpuUsed = step;
                if (!add(*store, line))
                    break;
            }
            ::_exit(1);
        }
        QTest::qSleep(20 + round * 7);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        const auto store = opened(m_folder->path());
        QVERIFY(store);
        QVERIFY(store->sampleCount(Source::Rank, 0) >= steps);
        steps = store->sampleCount(Source::Rank, 0);
        const auto bins = store->bins(loss(), Axis::Step, 1, double(steps), 100);
        qint64 covered = 0;
        for (const Bin& bin : bins) {
            QCOMPARE(bin.minimum, bin.first);
            QCOMPARE(bin.maximum, bin.last);
            QCOMPARE(bin.mean, (bin.first + bin.last) / 2);
            covered += bin.count;
        }
        QCOMPARE(covered, steps);
    }
    QVERIFY(steps > 1000);
}

/// 512 ranks with all metrics: few descriptors and mappings, since a process may have but 1024 and 65530.
void MetricsStoreTest::manySources() {
    const auto count = [](const char* what) {
        if (qstrcmp(what, "fd") == 0)
            return QDir("/proc/self/fd")
                .entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::System)
                .size();
        QFile maps("/proc/self/maps");
        return maps.open(QIODevice::ReadOnly) ? maps.readAll().count('\n') : 0;
    };
    const auto descriptors = count("fd");
    const auto mappings = count("maps");
    const auto store = opened(m_folder->path());
    for (int step = 1; step <= 20; ++step)
        for (int rank = 0; rank < 512; ++rank) {
            wire::MetricsLine line = stepLine(step, rank);
            auto& memory = std::get<wire::StepLine>(line.body).memory;
            memory.gpuAllocated = memory.gpuReserved = memory.gpuUsed = memory.gpuTotal = rank;
            QVERIFY(add(*store, line, rank));
        }
    QCOMPARE(store->sources(Source::Rank).size(), 512);
    QVERIFY2(count("fd") - descriptors < 10, qPrintable(QString::number(count("fd"))));
    QVERIFY2(count("maps") - mappings < 600, qPrintable(QString::number(count("maps"))));
    QCOMPARE(text(store->bins(loss(511), Axis::Step, 1, 20, 1)), QString("1..20 511/511/511 x20"));
    qint64 bytes = 0;
    for (const QFileInfo& file : QDir(m_folder->path()).entryInfoList(QDir::Files))
        bytes += file.size();
    QVERIFY2(bytes < (qint64(80) << 20), qPrintable(QString::number(bytes)));
}

void MetricsStoreTest::appendIsFastAndMemoryIsBounded() {
    const auto resident = [] {
        QFile file("/proc/self/statm");
        return file.open(QIODevice::ReadOnly) ? file.readAll().split(' ')[1].toLongLong() * 4096 : 0;
    };
    const auto store = opened(m_folder->path());
    QVERIFY(add(*store, stepLine(1, 1)));
    const qint64 before = resident();
    const int steps = 600000;
    QElapsedTimer timer;
    timer.start();
    qint64 most = 0;
    for (int step = 2; step <= steps; ++step) {
        if (!store->append(Source::Rank, 0, stepLine(step, std::sin(step * 1e-4))))
            QFAIL("append");
        if (step % 100000 == 0)
            most = std::max(most, resident() - before);
    }
    const double seconds = double(timer.nsecsElapsed()) / 1e9;
    timer.restart();
    for (int i = 0; i < 100; ++i)
        QCOMPARE(store->bins(loss(), Axis::Step, 1, steps, 1920).size(), 1920);
    const double perQuery = double(timer.nsecsElapsed()) / 1e8;
    const auto row = store->bins(loss(), Axis::Step, 123456, 123456, 1920);
    QCOMPARE(row.size(), 1);
    QCOMPARE(row[0].mean, std::sin(123456 * 1e-4));
    qInfo("%.0f lines/s, %.2f ms for 1920 bins of %d steps, at most %.0f MiB more resident", steps / seconds,
          perQuery, steps, double(most) / (1 << 20));
    QVERIFY(most < qint64(80) << 20); // the file has over 100 MB
}

QTEST_APPLESS_MAIN(MetricsStoreTest)
#include "tst_metricsstore.moc"
