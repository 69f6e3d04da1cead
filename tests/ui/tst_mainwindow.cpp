// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/hostpool.h"
#include "tests/ui/recordedrun.h"
#include "ui/hostkeydialog.h"
#include "ui/jobpage/jobpage.h"
#include "ui/mainwindow.h"
#include "ui/runpage/runpage.h"

#include <QComboBox>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace coxswain;
using namespace coxswain::ui;

namespace {

template <class T>
T* child(const QWidget& parent, const char* name) {
    auto* found = parent.findChild<T*>(QString::fromLatin1(name));
    if (!found)
        qFatal("no %s", name);
    return found;
}

/// Everything below a window, on folders of its own and without a node.
struct Desk {
    QTemporaryDir folder;
    job::Paths paths;
    job::HostKeyQuestions questions;
    remote::HostPool pool{remote::RemoteOptions{}};
    std::unique_ptr<job::Nodes> nodes;
    std::unique_ptr<job::Runs> runs;
    Theme theme{*qApp};

    Desk() {
        paths.config = folder.filePath("config");
        paths.runs = folder.filePath("runs");
        paths.cache = folder.filePath("cache");
        paths.agent = folder.filePath("none");
        paths.runtimes = folder.filePath("runtimes");
        nodes = std::make_unique<job::Nodes>(paths, pool);
        runs = std::make_unique<job::Runs>(paths, pool);
    }
    WindowServices services(Settings& settings) { return {paths, *nodes, *runs, questions, settings, theme}; }
};

} // namespace

class MainWindowTest : public QObject {
    Q_OBJECT
private slots:
    void pagesByButtonAndKey() {
        Desk desk;
        Settings settings(desk.paths.config);
        MainWindow window(desk.services(settings));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QVERIFY(child<QWidget>(window, "nodesPage")->isVisible());
        const struct {
            const char* button;
            const char* page;
            Qt::Key key;
        } pages[] = {{"jobPageButton", "jobPage", Qt::Key_2},
                     {"runPageButton", "runPage", Qt::Key_3},
                     {"historyPageButton", "historyPage", Qt::Key_4},
                     {"nodesPageButton", "nodesPage", Qt::Key_1}};
        for (const auto& page : pages) {
            QTest::mouseClick(child<QToolButton>(window, page.button), Qt::LeftButton);
            QVERIFY2(child<QWidget>(window, page.page)->isVisible(), page.page);
        }
        for (const auto& page : pages) {
            QTest::keyClick(&window, page.key, Qt::AltModifier);
            QTRY_VERIFY2(child<QWidget>(window, page.page)->isVisible(), page.page);
        }
        // Empty pages lead on.
        window.showPage(Sidebar::Run);
        QTest::mouseClick(child<QPushButton>(*child<QWidget>(window, "runPage"), "emptyAction"),
                          Qt::LeftButton);
        QVERIFY(child<QWidget>(window, "jobPage")->isVisible());
    }

    void theWindowRemembers() {
        Desk desk;
        {
            Settings settings(desk.paths.config);
            MainWindow window(desk.services(settings));
            window.show();
            window.showPage(Sidebar::History);
            auto* themes = child<QComboBox>(window, "themeBox");
            themes->setCurrentIndex(themes->count() - 1);
            emit themes->activated(themes->currentIndex());
            QVERIFY(desk.theme.colours().dark);
            window.close();
        }
        desk.theme.setMode(ThemeMode::Light);
        Settings settings(desk.paths.config);
        MainWindow window(desk.services(settings));
        window.show();
        QVERIFY(desk.theme.colours().dark);
        QVERIFY(child<QWidget>(window, "historyPage")->isVisible());
        desk.theme.setMode(ThemeMode::System);
    }

    void addedNodesAreInTheJob() {
        Desk desk;
        Settings settings(desk.paths.config);
        MainWindow window(desk.services(settings));
        window.show();
        QVERIFY(desk.nodes->add(QStringLiteral("gpu[1-2]")));
        QCOMPARE(child<QTableView>(window, "nodesTable")->model()->rowCount(), 2);
        const auto* picker = child<QAbstractItemView>(window, "nodePicker")->model();
        QCOMPARE(picker->rowCount(), 3); // this machine too
        child<QTableView>(window, "nodesTable")->selectRow(0);
        QTest::mouseClick(child<QPushButton>(window, "removeNodesButton"), Qt::LeftButton);
        QCOMPARE(desk.nodes->list().size(), 1);
    }

    void runsOpenFromHistory() {
        Desk desk;
        samples::Recording failed;
        failed.killed = true;
        failed.name = "failed";
        samples::record(desk.paths.runs, {}, 1);
        samples::record(desk.paths.runs, failed, 2);
        Settings settings(desk.paths.config);
        MainWindow window(desk.services(settings));
        window.show();
        window.showPage(Sidebar::History);
        auto* table = child<QTableView>(window, "historyTable");
        QCOMPARE(table->model()->rowCount(), 2);
        table->selectRow(0); // the newest
        QTest::mouseClick(child<QPushButton>(window, "openRunButton"), Qt::LeftButton);
        QVERIFY(child<QWidget>(window, "runPage")->isVisible());
        QVERIFY(child<QWidget>(window, "failureCard")->isVisible());
        QCOMPARE(child<QLabel>(window, "runCardName")->text(), QString("failed"));
        QCOMPARE(child<QLabel>(window, "runCardState")->text(), QString("Failed"));

        // Run again: the Job page has its settings.
        QTest::mouseClick(child<QPushButton>(window, "runAgainButton"), Qt::LeftButton);
        QVERIFY(child<QWidget>(window, "jobPage")->isVisible());
        QCOMPARE(window.jobPage().document().content()["name"].get<std::string>(), std::string("failed"));
        QCOMPARE(window.jobPage().document().nodes(), QStringList({"node1", "node2", "node3"}));
        QVERIFY(!window.jobPage().document().content().contains("id"));

        // Deleting the shown run empties the Run page.
        window.showPage(Sidebar::History);
        table->selectRow(0);
        QTest::mouseClick(child<QPushButton>(window, "deleteRunButton"), Qt::LeftButton);
        QTest::mouseClick(child<QPushButton>(*child<QMessageBox>(window, "deleteDialog"), "deleteOk"),
                          Qt::LeftButton);
        QCOMPARE(table->model()->rowCount(), 1);
        QVERIFY(!window.runPage().run());
        QCOMPARE(child<QLabel>(window, "runCardName")->text(), QString("No run"));
    }

    void aRunThatMayGoOnIsOffered() {
        Desk desk;
        samples::Recording recording;
        recording.ended = false;
        samples::record(desk.paths.runs, recording, 1);
        Settings settings(desk.paths.config);
        MainWindow window(desk.services(settings));
        window.show();
        window.showPage(Sidebar::Run);
        const QString id = samples::recordOf(recording, 1).id;
        QVERIFY(child<QPushButton>(window, qPrintable("attach_" + id))->isVisible());
    }

    void aJobThatCannotStartSaysWhy() {
        Desk desk;
        Settings settings(desk.paths.config);
        MainWindow window(desk.services(settings));
        window.show();
        window.openJob(desk.folder.filePath("none.json"), {}, true);
        QVERIFY(child<QWidget>(window, "jobPage")->isVisible());
        QVERIFY(
            child<QLabel>(*child<QWidget>(window, "jobPage"), "noticeText")->text().contains("none.json"));
    }

    void hostKeysAreAskedAbout() {
        HostKeyDialog dialog({7, "gpu1", "ssh-ed25519", "SHA256:abc"});
        QSignalSpy answered(&dialog, &HostKeyDialog::answered);
        dialog.open();
        QVERIFY(child<QLabel>(dialog, "hostKeyText")->text().contains("gpu1"));
        QCOMPARE(child<QLabel>(dialog, "hostKeyFingerprint")->text(), QString("SHA256:abc"));
        QVERIFY(child<QPushButton>(dialog, "hostKeyRefuse")->isDefault());
        QTest::mouseClick(child<QPushButton>(dialog, "hostKeyAccept"), Qt::LeftButton);
        QCOMPARE(answered.count(), 1);
        QCOMPARE(answered[0], QVariantList({7, true}));
        HostKeyDialog closed({8, "gpu2", "ssh-ed25519", "SHA256:abc"});
        QSignalSpy no(&closed, &HostKeyDialog::answered);
        closed.open();
        closed.close();
        QCOMPARE(no.count(), 1);
        QCOMPARE(no[0], QVariantList({8, false}));
    }

    void hostKeyQuestionsReachTheWindow() {
        Desk desk;
        Settings settings(desk.paths.config);
        MainWindow window(desk.services(settings));
        window.show();
        emit desk.questions.asked({3, {{}, "gpu7", 0}, "ssh-ed25519", "SHA256:xyz"});
        auto* dialog = child<QDialog>(window, "hostKeyDialog");
        QVERIFY(dialog->isVisible());
        QTest::mouseClick(child<QPushButton>(*dialog, "hostKeyRefuse"), Qt::LeftButton);
        QTRY_VERIFY(!window.findChild<QDialog*>("hostKeyDialog"));
    }

    void fitsASmallScreen() {
        Desk desk;
        samples::record(desk.paths.runs, {}, 1);
        Settings settings(desk.paths.config);
        MainWindow window(desk.services(settings));
        window.resize(1024, 700);
        window.show();
        for (int page = 0; page < Sidebar::PageCount; ++page) {
            window.showPage(static_cast<Sidebar::Page>(page));
            QCoreApplication::processEvents();
            QVERIFY2(window.minimumSizeHint().width() <= 1024 && window.minimumSizeHint().height() <= 700,
                     qPrintable(QString("page %1 wants %2 × %3")
                                    .arg(page)
                                    .arg(window.minimumSizeHint().width())
                                    .arg(window.minimumSizeHint().height())));
        }
        QCOMPARE(window.size(), QSize(1024, 700));
    }
};

QTEST_MAIN(MainWindowTest)
#include "tst_mainwindow.moc"
