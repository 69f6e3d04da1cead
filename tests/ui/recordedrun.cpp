// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/recordedrun.h"

#include "tests/core/samplenodes.h"
#include "trainer/wire/layout.h"
#include "trainer/wire/metrics.h"

#include <QFile>

#include <cmath>
#include <limits>

namespace coxswain::ui::samples {
namespace {

constexpr double startTime = 1778000000; // 2026-05-05
constexpr double secondsPerStep = 0.12;

/// The same noise in every run: from -0.5 to 0.5.
double noise(int a, int b) {
    const double x = std::sin(a * 12.9898 + b * 78.233) * 43758.5453;
    return x - std::floor(x) - 0.5;
}

void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write %s", qPrintable(path));
}

double timeOf(int step) {
    return startTime + 5 + step * secondsPerStep;
}

} // namespace

wire::StepLine stepLine(const Recording& recording, int rank, int step) {
    wire::StepLine line;
    line.step = step;
    line.epoch = step / 120.0;
    line.loss = 1.9 + 3.6 * std::exp(-step / 60.0) + 0.06 * noise(step, 99);
    line.rankLoss = recording.nanSteps.contains(step) && rank == 1 ? std::numeric_limits<double>::quiet_NaN()
                                                                   : line.loss + 0.25 * noise(step, rank);
    line.tokens = 12 * 127;
    line.rankTokens = line.tokens / recording.ranks;
    line.learningRate =
        1e-3 * std::min(1.0, step / 20.0) * (0.55 + 0.45 * std::cos(3.14159 * step / recording.steps));
    line.gradientNorm = 0.6 + 2.0 * std::exp(-step / 40.0) + 0.1 * noise(step, 7);
    auto& ms = line.milliseconds;
    ms.data = 2 + noise(step, rank + 10);
    ms.forward = 38 + 6 * noise(step, rank + 20) + (step == recording.spikeStep && rank == 0 ? 2000 : 0);
    ms.backward = 61 + 8 * noise(step, rank + 30);
    ms.communicationWait = 9 + 4 * noise(step, rank + 40) + (rank == 0 ? 0 : 5);
    ms.optimizer = 4 + noise(step, rank + 50);
    ms.total = ms.data + ms.forward + ms.backward + ms.communicationWait + ms.optimizer + 1.5;
    line.memory.resident = (std::int64_t(310) << 20) + step * 40000 + rank * 9000000;
    if (recording.gpu) {
        line.memory.gpuAllocated = std::int64_t(5) << 30;
        line.memory.gpuReserved = std::int64_t(6) << 30;
        line.memory.gpuUsed = std::int64_t(7) << 30;
        line.memory.gpuTotal = std::int64_t(24) << 30;
    }
    return line;
}

QByteArray rankLines(const Recording& recording, int rank) {
    std::string lines;
    const auto add = [&](double time, const wire::LineBody& body) {
        lines += wire::toJsonLine({1, time, body});
    };
    wire::StartLine start;
    start.job = "20260505-164640-000001";
    start.rank = rank;
    start.worldSize = recording.ranks;
    start.host = "node" + std::to_string(rank + 1);
    start.pid = 4000 + rank;
    start.device = "cpu";
    start.parameters = 1800000;
    start.steps = recording.steps;
    add(startTime + 4.5, start);
    for (int step = 1; step <= recording.steps; ++step) {
        if (rank == 0 && recording.missingSteps.contains(step))
            continue;
        add(timeOf(step), stepLine(recording, rank, step));
        if (rank == 1 && recording.nanSteps.contains(step))
            add(timeOf(step), wire::EventLine{"non_finite", step, "the loss is NaN"});
        if (rank == 0 && step % 100 == 0)
            add(timeOf(step),
                wire::EventLine{"checkpoint", step, "checkpoints/step-" + std::to_string(step)});
    }
    if (recording.killed && rank != 1)
        add(timeOf(recording.steps) + 1,
            wire::ErrorLine{wire::ExitCode::Communication, "all-reduce failed: a peer is gone",
                            recording.steps});
    if (!recording.killed && recording.ended)
        add(timeOf(recording.steps) + 0.4, wire::EndLine{"finished", recording.steps, {}});
    return QByteArray::fromStdString(lines);
}

job::RunRecord recordOf(const Recording& recording, int n) {
    job::RunRecord record;
    record.id = QStringLiteral("20260505-1646%1-00000%2").arg(n, 2, 10, QLatin1Char('0')).arg(n % 10);
    record.name = recording.name;
    record.created = QDateTime::fromMSecsSinceEpoch(qint64(startTime * 1000) + n * 60000, Qt::UTC);
    QList<core::Inventory> inventories;
    for (int i = 1; i <= recording.ranks; ++i)
        inventories.append(core::samples::healthyNode(i));
    auto spec = core::samples::smallJob();
    spec.name = recording.name.toStdString();
    spec.train.steps = recording.steps;
    spec.train.globalBatch = 12;
    record.plan = *core::makePlan(spec, core::samples::candidates(inventories));
    record.launched = true;
    record.steps = recording.steps;
    record.firstLoss = stepLine(recording, 0, 1).loss;
    record.lastLoss = stepLine(recording, 0, recording.steps).loss;
    if (!recording.ended)
        return record;
    record.ended = record.created.addMSecs(qint64((6 + recording.steps * secondsPerStep) * 1000));
    record.outcome = recording.killed ? core::Outcome::Failed : core::Outcome::Finished;
    if (recording.killed) {
        record.failure =
            core::FailureCard{1,
                              QStringLiteral("node2"),
                              QStringLiteral("SIGKILL"),
                              std::nullopt,
                              QStringLiteral("rank 1 on node2 was killed by SIGKILL"),
                              QStringLiteral("mpirun noticed that process rank 1 with PID 4001 on node "
                                             "10.0.0.2 exited on signal 9 (Killed)."),
                              QStringLiteral("Often the kernel's memory killer: sudo dmesg | grep -i oom"),
                              {QStringLiteral("rank 0 on node1: all-reduce failed: a peer is gone"),
                               QStringLiteral("rank 2 on node3: all-reduce failed: a peer is gone")}};
    }
    return record;
}

job::RunFolder record(const QString& runs, const Recording& recording, int n) {
    auto folder = job::RunFolder::create(runs, recordOf(recording, n));
    if (!folder)
        qFatal("%s", qPrintable(folder.error().text()));
    for (int rank = 0; rank < recording.ranks; ++rank)
        write(folder->file(QString::fromStdString(wire::layout::rankFile(rank))), rankLines(recording, rank));
    write(folder->file(QStringLiteral("mpirun.log")),
          "[1,0]<stderr>:\x1b[32mmodel\x1b[0m: 1.8 M parameters\n[1,1]<stderr>:training on cpu\n");
    return *folder;
}

} // namespace coxswain::ui::samples
