// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/csvexport.h"
#include "tests/ui/recordedrun.h"
#include "ui/historypage/historymodel.h"
#include "ui/historypage/historypage.h"
#include "ui/theme.h"

#include <QAbstractItemModelTester>
#include <QBuffer>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace coxswain;
using namespace coxswain::ui;
using samples::Recording;

namespace {

template <class T>
T* child(const QWidget& parent, const char* name) {
    auto* found = parent.findChild<T*>(QString::fromLatin1(name));
    if (!found)
        qFatal("no %s", name);
    return found;
}

Recording named(const QString& name) {
    Recording recording;
    recording.name = name;
    return recording;
}

QList<job::RunRecord> threeRuns() {
    Recording killed = named("large");
    killed.killed = true;
    Recording running = named("night");
    running.ended = false;
    return {samples::recordOf(running, 3), samples::recordOf(killed, 2),
            samples::recordOf(named("verses"), 1)};
}

} // namespace

class HistoryPageTest : public QObject {
    Q_OBJECT
private slots:
    void init() { m_theme = std::make_unique<Theme>(*qApp); }

    void model() {
        HistoryModel model(*m_theme);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRuns(threeRuns());
        const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(text(0, HistoryModel::State), QString("Running"));
        QCOMPARE(text(1, HistoryModel::State), QString("Failed"));
        QCOMPARE(text(2, HistoryModel::State), QString("Finished"));
        QCOMPARE(text(0, HistoryModel::Duration), QString("–"));
        QCOMPARE(text(2, HistoryModel::Duration), QString("42.0 s"));
        QCOMPARE(text(2, HistoryModel::Nodes), QString("node1, node2, node3"));
        QCOMPARE(text(2, HistoryModel::Steps), QString("300 / 300"));
        QCOMPARE(model.index(1, HistoryModel::State).data(Qt::ToolTipRole).toString(),
                 QString("rank 1 on node2 was killed by SIGKILL"));
        auto runs = threeRuns();
        runs[0].steps = 200;
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.setRuns(runs);
        QCOMPARE(reset.count(), 0);
        QCOMPARE(text(0, HistoryModel::Steps), QString("200 / 300"));
        model.setRuns({});
        QCOMPARE(model.rowCount(), 0);
    }

    void page() {
        HistoryPage page(*m_theme);
        page.resize(900, 500);
        page.show();
        QSignalSpy newJob(&page, &HistoryPage::newJobRequested);
        QTest::mouseClick(child<QPushButton>(page, "emptyAction"), Qt::LeftButton);
        QCOMPARE(newJob.count(), 1);

        page.setRuns(threeRuns());
        QSignalSpy opened(&page, &HistoryPage::openRequested);
        QSignalSpy again(&page, &HistoryPage::againRequested);
        QSignalSpy deleted(&page, &HistoryPage::deleteRequested);
        auto* table = child<QTableView>(page, "historyTable");
        auto* open = child<QPushButton>(page, "openRunButton");
        QVERIFY(!open->isEnabled());
        table->selectRow(0);
        QCOMPARE(open->text(), QString("&Attach"));
        table->selectRow(1);
        QCOMPARE(open->text(), QString("&Open"));
        QTest::mouseClick(open, Qt::LeftButton);
        QCOMPARE(opened.takeFirst()[0].toString(), threeRuns()[1].id);
        QTest::mouseClick(child<QPushButton>(page, "againButton"), Qt::LeftButton);
        QCOMPARE(again.takeFirst()[0].toString(), threeRuns()[1].id);

        QTest::keyClicks(child<QLineEdit>(page, "historySearch"), "VERS");
        QCOMPARE(table->model()->rowCount(), 1);
        table->selectRow(0);
        QTest::mouseClick(child<QPushButton>(page, "deleteRunButton"), Qt::LeftButton);
        auto* box = child<QMessageBox>(page, "deleteDialog");
        QCOMPARE(deleted.count(), 0);
        QTest::mouseClick(child<QPushButton>(*box, "deleteOk"), Qt::LeftButton);
        QCOMPARE(deleted.takeFirst()[0].toStringList(), QStringList{threeRuns()[2].id});
        child<QLineEdit>(page, "historySearch")->clear();
        table->sortByColumn(HistoryModel::Name, Qt::AscendingOrder);
        QCOMPARE(table->model()->index(0, HistoryModel::Name).data().toString(), QString("large"));
    }

    void csv() {
        QTemporaryDir folder;
        Recording recording;
        recording.steps = 5;
        recording.nanSteps = {3};
        const auto run = samples::record(folder.path(), recording);
        QFile damaged(run.file("rank-2.jsonl"));
        QVERIFY(damaged.open(QIODevice::Append));
        damaged.write("{\"kind\": \"step\", garbage\n");
        damaged.close();
        QBuffer csv;
        QVERIFY(csv.open(QIODevice::WriteOnly));
        const auto written = job::exportCsv(run, csv);
        QVERIFY2(written.has_value(), written ? "" : qPrintable(written.error().text()));
        const QList<QByteArray> lines = csv.data().split('\n');
        QCOMPARE(lines.size(), 17); // a header, 15 rows, and the end of the last
        const QList<QByteArray> names = lines[0].split(',');
        QCOMPARE(names.mid(0, 4), QList<QByteArray>({"rank", "attempt", "step", "time"}));
        const QList<QByteArray> row = lines[1 + 5 + 2].split(','); // rank 1, step 3
        QCOMPARE(row.size(), names.size());
        QCOMPARE(row[0], QByteArray("1"));
        QCOMPARE(row[2], QByteArray("3"));
        QCOMPARE(row[names.indexOf("rank_loss")], QByteArray("NaN"));
        QCOMPARE(row[names.indexOf("loss")].toDouble(), samples::stepLine(recording, 1, 3).loss);
        QCOMPARE(row[names.indexOf("tokens")], QByteArray("1524"));
        QCOMPARE(row[names.indexOf("memory.gpu_used")], QByteArray());
    }

private:
    std::unique_ptr<Theme> m_theme;
};

QTEST_MAIN(HistoryPageTest)
#include "tst_historypage.moc"
