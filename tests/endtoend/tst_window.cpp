// SPDX-License-Identifier: GPL-3.0-or-later
// The main job on three hosts through the window's real pages.
#include "app/context.h"
#include "tests/endtoend/cluster.h"
#include "ui/mainwindow.h"

#include <QAbstractItemView>
#include <QDialog>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <qcustomplot.h>

#include <csignal>

using namespace coxswain;
using namespace coxswain::test;

namespace {

template <class T>
T* child(const QWidget& parent, const char* name) {
    auto* found = parent.findChild<T*>(QString::fromLatin1(name));
    if (!found)
        qFatal("no %s", name);
    return found;
}

/// The program coxswain, but in this process: everything that app/main.cpp makes.
struct Desk {
    explicit Desk(const Cluster& cluster, const QString& knownHosts)
        : context({{cluster.identity()}, knownHosts, false}, true), settings(context.paths().config),
          theme(*qApp),
          window({context.paths(), context.nodes(), context.runs(), context.questions(), settings, theme}) {
        window.resize(1280, 800);
        window.show();
    }
    void click(const char* name) { QTest::mouseClick(child<QAbstractButton>(window, name), Qt::LeftButton); }
    QString label(const char* name) { return child<QLabel>(window, name)->text(); }
    /// For people: with COXSWAIN_PICTURES=FOLDER, what the window looks like.
    void picture(const char* name) {
        if (const QString folder = qEnvironmentVariable("COXSWAIN_PICTURES"); !folder.isEmpty())
            window.grab().save(QStringLiteral("%1/%2.png").arg(folder, QString::fromLatin1(name)));
    }
    bool isEnabled(const char* name) { return child<QAbstractButton>(window, name)->isEnabled(); }

    app::Context context;
    ui::Settings settings;
    ui::Theme theme;
    ui::MainWindow window;
};

} // namespace

class TestWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        m_cluster = std::make_unique<Cluster>(QStringLiteral("10.91.0"));
        m_knownHosts = m_cluster->desktop().filePath(QStringLiteral("known_hosts"));
        m_desk = std::make_unique<Desk>(*m_cluster, m_knownHosts);
        QVERIFY(QTest::qWaitForWindowExposed(&m_desk->window));
    }
    void cleanupTestCase() {
        m_desk.reset();
        m_cluster.reset();
    }

    /// Unknown host keys are asked about once; then the nodes are ready.
    void addsAndChecksNodes() {
        m_desk->click("nodesPageButton");
        m_desk->click("addNodesButton");
        QDialog* dialog = nullptr;
        QTRY_VERIFY((dialog = m_desk->window.findChild<QDialog*>(QStringLiteral("addNodesDialog"))) &&
                    dialog->isVisible());
        child<QPlainTextEdit>(*dialog, "addNodesText")->setPlainText(m_cluster->nodes());
        QTest::mouseClick(child<QPushButton>(*dialog, "addNodesOk"), Qt::LeftButton);
        QSet<QString> fingerprints;
        const auto ready = [&] {
            for (auto* question : m_desk->window.findChildren<QDialog*>(QStringLiteral("hostKeyDialog"))) {
                if (!question->isVisible())
                    continue;
                fingerprints.insert(
                    child<QWidget>(*question, "hostKeyFingerprint")->property("text").toString());
                QTest::mouseClick(child<QPushButton>(*question, "hostKeyAccept"), Qt::LeftButton);
            }
            int count = 0;
            const auto* model = child<QTableView>(m_desk->window, "nodesTable")->model();
            for (int row = 0; row < model->rowCount(); ++row)
                count += model->index(row, 0).data().toString() == QStringLiteral("Ready");
            return count >= 3;
        };
        QVERIFY(QTest::qWaitFor(ready, 40'000));
        QCOMPARE(fingerprints.size(), 3);
        QFile kept(m_knownHosts);
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll().count('\n'), 3);
    }

    void runsTheExample() {
        openExample(30);
        const QString folder = startRun();
        QVERIFY(!folder.isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(m_desk->label("runState").startsWith(QStringLiteral("Finished")), 180'000);
        QCOMPARE(m_desk->label("runStep"), QStringLiteral("30 / 30"));
        m_desk->picture("finished");

        auto* loss = child<QCustomPlot>(m_desk->window, "lossPlotCanvas");
        QList<const QCPGraph*> lines;
        for (int i = 0; i < loss->graphCount(); ++i)
            if (loss->graph(i)->dataCount() == 30)
                lines.append(loss->graph(i));
        QCOMPARE(lines.size(), 4); // every rank and all of them
        const auto seen = readSteps(folder + QStringLiteral("/rank-1.jsonl"));
        QCOMPARE(seen.steps.size(), 30);
        QVERIFY(seen.losses.last() < seen.losses.first() - 1);
        bool global = false; // some line is the global loss, number for number
        for (const auto* line : lines) {
            bool same = true;
            for (int i = 0; i < 30; ++i)
                same = same && line->data()->at(i)->value == seen.losses[i];
            global = global || same;
        }
        QVERIFY(global);
        for (int i = 1; i < child<QCustomPlot>(m_desk->window, "latencyPlotCanvas")->graphCount(); ++i)
            QVERIFY(child<QCustomPlot>(m_desk->window, "latencyPlotCanvas")->graph(i)->dataCount() > 0);
        verifyClean();
        m_desk->click("historyPageButton");
        QTRY_COMPARE(child<QTableView>(m_desk->window, "historyTable")->model()->rowCount(), 1);
    }

    /// The card leads: rank, node and signal.
    void aKilledRankLeads() {
        openExample(2000);
        const QString folder = startRun();
        QTRY_VERIFY_WITH_TIMEOUT(stepsOf(folder).size() >= 3, 90'000);
        m_cluster->hosts().in(2, QStringLiteral("pkill -9 -f '[c]oxswain-trainer'"));
        auto* card = child<QWidget>(m_desk->window, "failureCard");
        QTRY_VERIFY_WITH_TIMEOUT(card->isVisible(), 15'000);
        QStringList texts;
        for (const auto* label : card->findChildren<QLabel*>())
            texts.append(label->text());
        QVERIFY2(texts.join(u' ').contains(
                     QStringLiteral("rank 1 on %1 was killed by SIGKILL").arg(m_cluster->node(2))),
                 qPrintable(texts.join(u' ')));
        QTRY_VERIFY_WITH_TIMEOUT(m_desk->label("runState").startsWith(QStringLiteral("Failed")), 30'000);
        verifyClean();
    }

    /// The window goes, the run stays; another window shows all of it and stops it.
    void closingTheWindowLosesNothing() {
        openExample(2000);
        const QString folder = startRun();
        QTRY_VERIFY_WITH_TIMEOUT(stepsOf(folder).size() >= 3, 90'000);
        m_desk.reset();
        QTest::qWait(1500);
        m_desk = std::make_unique<Desk>(*m_cluster, m_knownHosts);
        QVERIFY(QTest::qWaitForWindowExposed(&m_desk->window));
        m_desk->click("historyPageButton");
        auto* history = child<QTableView>(m_desk->window, "historyTable");
        QTRY_VERIFY(history->model()->rowCount() > 0);
        history->selectRow(0);
        m_desk->click("openRunButton");
        QTRY_VERIFY_WITH_TIMEOUT(child<QPushButton>(m_desk->window, "stopButton")->isVisible(), 20'000);
        QTRY_VERIFY(m_desk->isEnabled("stopButton"));
        m_desk->click("stopButton");
        QTRY_VERIFY2_WITH_TIMEOUT(m_desk->label("runState").startsWith(QStringLiteral("Stopped")),
                                  qPrintable(m_desk->label("runState")), 40'000);
        const auto steps = stepsOf(folder);
        for (int rank = 0; rank < 3; ++rank)
            QCOMPARE(readSteps(folder + QStringLiteral("/rank-%1.jsonl").arg(rank)).steps, steps);
        for (int i = 0; i < steps.size(); ++i)
            QCOMPARE(steps[i], i + 1);
        verifyClean();
    }

    /// kill -9 of the program itself.
    void killingTheProgramLosesNothing() {
        const QString before = newestRunFolder();
        QProcess program;
        program.start(QStringLiteral(COXSWAIN_WINDOW),
                      {QStringLiteral("--job"), Cluster::job(), QStringLiteral("--run"),
                       QStringLiteral("--set"), QStringLiteral("train.steps=40"), QStringLiteral("--set"),
                       QStringLiteral("ranks_per_node=2")});
        QTRY_VERIFY_WITH_TIMEOUT(newestRunFolder() != before, 60'000);
        QVERIFY(waitForStep({}, 0, 3, 60));
        ::kill(static_cast<pid_t>(program.processId()), SIGKILL);
        program.waitForFinished();
        const auto attached = m_cluster->cli({QStringLiteral("attach"), QStringLiteral("--json")});
        QVERIFY2(attached.status == 0, attached.err);
        for (int rank = 0; rank < 2; ++rank)
            QCOMPARE(readSteps(newestRunFolder() + QStringLiteral("/rank-%1.jsonl").arg(rank)).steps.size(),
                     40);
    }

private:
    static QList<qint64> stepsOf(const QString& folder) {
        return readSteps(folder + QStringLiteral("/rank-0.jsonl")).steps;
    }
    /// The new run's folder; empty where none was made.
    QString startRun() {
        const QString before = newestRunFolder();
        m_desk->click("runButton");
        return QTest::qWaitFor([&] { return newestRunFolder() != before; }, 30'000) ? newestRunFolder()
                                                                                    : QString();
    }
    void openExample(int steps) {
        m_desk->click("jobPageButton");
        m_desk->click("openJobButton");
        QFileDialog* dialog = nullptr;
        QTRY_VERIFY((dialog = m_desk->window.findChild<QFileDialog*>(QStringLiteral("openJobDialog"))) &&
                    dialog->isVisible());
        dialog->selectFile(Cluster::job());
        QMetaObject::invokeMethod(dialog, "accept");
        auto* field = child<QLineEdit>(m_desk->window, "field.train.steps");
        QTRY_COMPARE(field->text(), QStringLiteral("300"));
        field->selectAll();
        QTest::keyClicks(field, QString::number(steps));
        choose(m_cluster->nodes().split(QLatin1Char(',')));
        QTRY_VERIFY_WITH_TIMEOUT(m_desk->isEnabled("runButton"), 20'000);
    }
    void choose(const QStringList& nodes) {
        auto* model = child<QAbstractItemView>(m_desk->window, "nodePicker")->model();
        for (int row = 0; row < model->rowCount(); ++row) {
            const QString text = model->index(row, 0).data().toString();
            const bool wanted = std::any_of(nodes.begin(), nodes.end(),
                                            [&](const QString& node) { return text.startsWith(node); });
            model->setData(model->index(row, 0), wanted ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole);
        }
    }
    void verifyClean() {
        for (int node = 1; node <= 3; ++node) {
            QCOMPARE(m_cluster->leftProcesses(node), QByteArray());
            QVERIFY(!m_cluster->authorizedKeys(node).contains("coxswain"));
        }
    }

    std::unique_ptr<Cluster> m_cluster;
    QString m_knownHosts;
    std::unique_ptr<Desk> m_desk;
};

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
