// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/recordedrun.h"
#include "trainer/wire/metrics.h"
#include "ui/plots/latencyplot.h"
#include "ui/plots/linesplot.h"
#include "ui/theme.h"

#include <QComboBox>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace coxswain;
using namespace coxswain::ui;
using samples::Recording;

namespace {

constexpr auto rankSource = core::SeriesId::Source::Rank;

std::unique_ptr<core::MetricsStore> emptyStore(const QTemporaryDir& folder) {
    auto store = core::MetricsStore::open(folder.filePath("store"));
    if (!store)
        qFatal("%s", qPrintable(store.error().text()));
    return std::move(*store);
}

void append(core::MetricsStore& store, const Recording& recording, int rank, int from, int to) {
    for (int step = from; step <= to; ++step) {
        const auto added =
            store.append(rankSource, rank, {1, double(step), samples::stepLine(recording, rank, step)});
        if (!added)
            qFatal("%s", qPrintable(added.error().text()));
    }
}

QList<PlotRank> threeRanks() {
    return {{0, "node1"}, {1, "node2"}, {2, "node3"}};
}

LinesPlot* lossPlot(PlotGroup& group, const Theme& theme) {
    return new LinesPlot("lossPlot",
                         {{"Loss", Quantity::Plain, "rank_loss", "loss", "all ranks", false, false}}, group,
                         theme);
}

/// Graphs with points, as their numbers of points.
QList<int> counts(QCustomPlot& plot) {
    QList<int> list;
    for (int i = 0; i < plot.graphCount(); ++i)
        if (const int n = plot.graph(i)->dataCount(); n > 0)
            list.append(n);
    return list;
}

/// Points at which the line is interrupted.
int breaks(const QCPGraph& graph) {
    int count = 0;
    for (int i = 0; i < graph.dataCount(); ++i)
        count += std::isnan(graph.data()->at(i)->value);
    return count;
}

} // namespace

class PlotsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { m_theme = std::make_unique<Theme>(*qApp); }

    void rangeFollowsTheEnd() {
        QTemporaryDir folder;
        auto store = emptyStore(folder);
        PlotGroup group;
        QSignalSpy changed(&group, &PlotGroup::changed);
        group.setStore(store.get(), threeRanks());
        QVERIFY(!group.hasData());
        append(*store, {}, 0, 1, 100);
        changed.clear();
        group.poll();
        QCOMPARE(changed.count(), 1);
        group.poll(); // nothing new: nothing is drawn
        QCOMPARE(changed.count(), 1);
        QCOMPARE(group.from(), 1.0);
        QCOMPARE(group.to(), 100.0);

        group.setRange(60, 100); // ends at the newest step: goes on following
        append(*store, {}, 0, 101, 120);
        group.poll();
        QCOMPARE(group.from(), 80.0);
        QCOMPARE(group.to(), 120.0);

        group.setRange(20, 40);
        QVERIFY(!group.follows());
        append(*store, {}, 0, 121, 130);
        group.poll();
        QCOMPARE(group.to(), 40.0);
        group.setFollows(true);
        QCOMPARE(group.from(), 110.0);
        QCOMPARE(group.to(), 130.0);
        group.showAll();
        QCOMPARE(group.from(), 1.0);
        append(*store, {}, 0, 131, 140);
        group.poll();
        QCOMPARE(group.to(), 140.0);
        group.setRange(-50, 1000); // never beyond what there is
        QCOMPARE(group.from(), 1.0);
        QCOMPARE(group.to(), 140.0);
        group.zoom(1e-9, 70);
        QVERIFY(group.to() - group.from() >= 4);
    }

    void marksAreOnceForAllRanks() {
        QTemporaryDir folder;
        auto store = emptyStore(folder);
        append(*store, {}, 0, 1, 10);
        for (int rank = 0; rank < 3; ++rank)
            QVERIFY(store->append(rankSource, rank,
                                  {1, 10, wire::EventLine{"stop_requested", 10, "by a person"}}));
        PlotGroup group;
        group.setStore(store.get(), threeRanks());
        QCOMPARE(group.marks().size(), 1);
        QCOMPARE(group.marks()[0].kind, PlotMark::Kind::Stop);
        QCOMPARE(group.marks()[0].step, 10.0);
    }

    void noMorePointsThanPixels() {
        QTemporaryDir folder;
        auto store = emptyStore(folder);
        Recording recording;
        recording.steps = 20000;
        recording.spikeStep = 12345;
        for (int rank = 0; rank < 3; ++rank)
            append(*store, recording, rank, 1, recording.steps);
        PlotGroup group;
        std::unique_ptr<PlotPanel> plots[] = {std::unique_ptr<PlotPanel>(lossPlot(group, *m_theme)),
                                              std::make_unique<LatencyPlot>(group, *m_theme)};
        for (auto& plot : plots) {
            plot->resize(420, 260);
            plot->show();
        }
        group.setStore(store.get(), threeRanks());
        for (auto& plot : plots) {
            QVERIFY(plot->columns() < 420);
            const auto points = counts(plot->plot());
            QVERIFY(points.size() >= 4);
            for (const int n : points)
                QVERIFY2(n > 50 && n <= plot->columns(), qPrintable(QString::number(n)));
        }
        // The one slow step is seen at every zoom.
        QVERIFY(plots[1]->plot().yAxis->range().upper > 2000);
        group.setRange(12000, 13000);
        QVERIFY(plots[1]->plot().yAxis->range().upper > 2000);
        group.setRange(12400, 13400);
        QVERIFY(plots[1]->plot().yAxis->range().upper < 500);
        // Zoomed in, every step is there as it was written.
        group.setRange(12340, 12360);
        const auto points = counts(plots[0]->plot());
        QCOMPARE(points.last(), 21);
        const auto* global = plots[0]->plot().graph(plots[0]->plot().graphCount() - 1);
        QCOMPARE(global->data()->at(5)->value, samples::stepLine(recording, 0, 12345).loss);
    }

    void nanIsAGapAndAMark() {
        QTemporaryDir folder;
        auto store = emptyStore(folder);
        Recording recording;
        recording.nanSteps = {5, 6, 7};
        for (int rank = 0; rank < 3; ++rank)
            append(*store, recording, rank, 1, 20);
        PlotGroup group;
        std::unique_ptr<LinesPlot> plot(lossPlot(group, *m_theme));
        plot->resize(500, 260);
        plot->show();
        group.setStore(store.get(), threeRanks());
        auto& canvas = plot->plot();
        QCOMPARE(canvas.graph(0)->dataCount(), 3); // the crosses
        QCOMPARE(canvas.graph(0)->data()->at(0)->key, 5.0);
        QCOMPARE(breaks(*canvas.graph(2)), 1);
        QCOMPARE(canvas.graph(2)->dataCount(), 18);
        group.setCursor(6);
        QStringList values;
        for (const auto& entry : plot->readout())
            values.append(entry.label + ' ' + entry.value);
        QVERIFY2(values.contains("node2 · 1 NaN"), qPrintable(values.join(", ")));
        QVERIFY(values[0].startsWith("all ranks "));
    }

    void missingStepsAreNotDrawnOver() {
        QTemporaryDir folder;
        auto store = emptyStore(folder);
        append(*store, {}, 0, 1, 10);
        append(*store, {}, 0, 15, 30);
        PlotGroup group;
        std::unique_ptr<LinesPlot> lines(lossPlot(group, *m_theme));
        LatencyPlot latency(group, *m_theme);
        for (PlotPanel* plot : {static_cast<PlotPanel*>(lines.get()), static_cast<PlotPanel*>(&latency)}) {
            plot->resize(500, 260);
            plot->show();
        }
        group.setStore(store.get(), {{0, "node1"}});
        for (PlotPanel* plot : {static_cast<PlotPanel*>(lines.get()), static_cast<PlotPanel*>(&latency)}) {
            const auto* graph = plot->plot().graph(plot == &latency ? 0 : 1);
            QCOMPARE(breaks(*graph), 1);
            QCOMPARE(graph->dataCount(), 27);
        }
        group.setCursor(12);
        QVERIFY(latency.readout().isEmpty());
        QCOMPARE(lines->readout().first().value, QString("–"));
        group.setCursor(20);
        QCOMPARE(latency.readout().size(), 6);
    }

    void mouseAndKeys() {
        QTemporaryDir folder;
        auto store = emptyStore(folder);
        append(*store, {}, 0, 1, 1000);
        PlotGroup group;
        std::unique_ptr<LinesPlot> plot(lossPlot(group, *m_theme));
        plot->resize(500, 260);
        plot->show();
        group.setStore(store.get(), {{0, "node1"}});
        auto& canvas = plot->plot();
        canvas.replot();
        const auto pixel = [&](double step) {
            return QPoint(int(canvas.xAxis->coordToPixel(step)), canvas.axisRect()->center().y());
        };
        QTest::mousePress(&canvas, Qt::LeftButton, {}, pixel(400));
        QTest::mouseMove(&canvas, pixel(500));
        QTest::mouseMove(&canvas, pixel(600));
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, pixel(600));
        QVERIFY2(std::abs(group.from() - 400) < 5 && std::abs(group.to() - 600) < 5,
                 qPrintable(QString("%1 to %2").arg(group.from()).arg(group.to())));
        QTest::mouseMove(&canvas, pixel(500));
        QVERIFY(group.cursor().has_value());
        QCOMPARE(*group.cursor(), std::round(*group.cursor()));
        QTest::mouseDClick(&canvas, Qt::LeftButton, {}, pixel(500));
        QCOMPARE(group.to(), 1000.0);
        QCOMPARE(group.from(), 1.0);
        QTest::keyClick(&canvas, Qt::Key_Plus);
        QVERIFY(group.to() - group.from() < 900);
        const double before = group.from();
        QTest::keyClick(&canvas, Qt::Key_Left);
        QVERIFY(group.from() < before);
        QTest::keyClick(&canvas, Qt::Key_Home);
        QCOMPARE(group.from(), 1.0);
    }

    void onlyMetricsThatAreThere() {
        QTemporaryDir folder;
        auto store = emptyStore(folder);
        append(*store, {}, 0, 1, 10);
        PlotGroup group;
        LinesPlot plot("memoryPlot",
                       {{"Resident", Quantity::Bytes, "memory.resident", {}, {}, false, true},
                        {"GPU", Quantity::Bytes, "memory.gpu_allocated", {}, {}, false, true}},
                       group, *m_theme);
        plot.resize(400, 200);
        plot.show();
        group.setStore(store.get(), threeRanks());
        auto* choice = plot.findChild<QComboBox*>("memoryPlotMetric");
        QCOMPARE(choice->count(), 1);
        Recording gpu;
        gpu.gpu = true;
        append(*store, gpu, 1, 1, 10);
        group.poll();
        QCOMPARE(choice->count(), 2);
        choice->setCurrentIndex(1);
        // One rank has GPU memory, the others have no line and no zero.
        QCOMPARE(counts(plot.plot()), QList<int>{10});
        QVERIFY(plot.plot().yAxis->range().lower == 0);
    }

    void throughputIsTokensOverTime() {
        QTemporaryDir folder;
        auto store = emptyStore(folder);
        append(*store, {}, 0, 1, 10);
        PlotGroup group;
        LinesPlot plot("ratePlot", {{"Throughput", Quantity::Rate, {}, "tokens", "all ranks", true, true}},
                       group, *m_theme);
        plot.resize(400, 200);
        plot.show();
        group.setStore(store.get(), {{0, "node1"}});
        const auto line = samples::stepLine({}, 0, 4);
        const auto* graph = plot.plot().graph(1);
        QCOMPARE(graph->dataCount(), 10);
        QVERIFY(std::abs(graph->data()->at(3)->value - double(line.tokens) * 1000 / line.milliseconds.total) <
                1e-6);
    }

    void hiddenRanksAreNotDrawn() {
        QTemporaryDir folder;
        auto store = emptyStore(folder);
        for (int rank = 0; rank < 3; ++rank)
            append(*store, {}, rank, 1, 10);
        PlotGroup group;
        std::unique_ptr<LinesPlot> plot(lossPlot(group, *m_theme));
        plot->resize(400, 200);
        plot->show();
        group.setStore(store.get(), threeRanks());
        QCOMPARE(counts(plot->plot()).size(), 4);
        group.setVisible(1, false);
        QCOMPARE(counts(plot->plot()).size(), 3);
        group.setStore(nullptr, {});
        QCOMPARE(counts(plot->plot()).size(), 0);
    }

    void plotsFollowTheTheme() {
        PlotGroup group;
        std::unique_ptr<LinesPlot> plot(lossPlot(group, *m_theme));
        plot->resize(300, 200);
        plot->show();
        m_theme->setMode(ThemeMode::Light);
        const QColor light = plot->grab().toImage().pixelColor(150, 100);
        m_theme->setMode(ThemeMode::Dark);
        plot->plot().replot();
        const QColor dark = plot->grab().toImage().pixelColor(150, 100);
        QVERIFY(light.lightness() > 200);
        QVERIFY(dark.lightness() < 60);
        m_theme->setMode(ThemeMode::Light);
    }

private:
    std::unique_ptr<Theme> m_theme;
};

QTEST_MAIN(PlotsTest)
#include "tst_plots.moc"
