// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/hostpool.h"
#include "tests/ui/recordedrun.h"
#include "tests/ui/samples.h"
#include "ui/jobpage/jobpage.h"
#include "ui/mainwindow.h"
#include "ui/nodespage/nodespage.h"
#include "ui/runpage/runpage.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QTableView>
#include <QTemporaryDir>

/// coxswain-ui-pictures FOLDER: every page with recorded data, wide and small, light and dark, as PNG. To be
/// looked at by people; not a test.
using namespace coxswain;
using namespace coxswain::ui;

namespace {

void settle() {
    for (int i = 0; i < 20; ++i)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
}

QList<job::NodeStatus> someNodes() {
    auto broken = samples::checkedNode(4, 4);
    broken.inventory->nvidia.gpus[2].usable = false;
    broken.inventory->nvidia.gpus[2].why = "GPU is lost";
    broken.inventory->diskFree = qint64(1) << 30;
    core::Requirements needs;
    needs.runtime = "auto";
    needs.diskBytes = qint64(4) << 30;
    broken.checks = core::judgeNode("node4", *broken.inventory, needs);
    QList<job::NodeStatus> nodes{samples::thisMachine()};
    for (int n = 1; n <= 3; ++n)
        nodes.append(samples::checkedNode(n, 4));
    return nodes << broken << samples::unreachedNode(5) << samples::uncheckedNode(6);
}

void grabPages(MainWindow& window, const QString& folder, const QString& name) {
    const char* pages[] = {"nodes", "job", "run", "history"};
    for (int page = 0; page < Sidebar::PageCount; ++page) {
        window.showPage(static_cast<Sidebar::Page>(page));
        settle();
        window.grab().save(
            QStringLiteral("%1/%2-%3.png").arg(folder, QString::fromLatin1(pages[page]), name));
    }
}

} // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    const QString target = application.arguments().value(1, QStringLiteral("pictures"));
    QDir().mkpath(target);
    QTemporaryDir folder;
    job::Paths paths{folder.filePath("config"), folder.filePath("runs"), folder.filePath("cache"), {}, {}};
    remote::HostPool pool{remote::RemoteOptions{}};
    job::Nodes nodes(paths, pool);
    job::Runs runs(paths, pool);
    job::HostKeyQuestions questions;
    Theme theme(application);
    Settings settings(paths.config);

    ui::samples::Recording good;
    good.nanSteps = {150, 151, 152};
    good.missingSteps = {220, 221, 222, 223, 224, 225, 226};
    ui::samples::Recording killed;
    killed.killed = true;
    killed.steps = 180;
    killed.name = "verses, larger batch";
    const QString first = ui::samples::record(paths.runs, good, 1).path().section('/', -1);
    const QString second = ui::samples::record(paths.runs, killed, 2).path().section('/', -1);

    MainWindow window({paths, nodes, runs, questions, settings, theme});
    window.show();
    window.findChild<NodesPage*>()->setNodes(someNodes());
    window.jobPage().setNodes(someNodes());
    QFile data(folder.filePath("verses.txt"));
    if (!data.open(QIODevice::WriteOnly) || data.write("text\n") < 0)
        return 1;
    data.close();
    window.jobPage().document().setData(data.fileName());
    window.jobPage().document().setNodes({"node1", "node2", "node3"});
    emit window.jobPage().document().replaced();
    auto* matrix = window.findChild<QTableView*>("checkMatrix");
    matrix->setCurrentIndex(matrix->model()->index(5, 4));
    auto* history = window.findChild<QTableView*>("historyTable");
    history->selectRow(0);

    const struct {
        QSize size;
        ThemeMode theme;
        const char* name;
    } looks[] = {{{1440, 900}, ThemeMode::Light, "wide-light"},
                 {{1440, 900}, ThemeMode::Dark, "wide-dark"},
                 {{1024, 700}, ThemeMode::Light, "small-light"},
                 {{1024, 700}, ThemeMode::Dark, "small-dark"}};
    for (const auto& look : looks) {
        window.resize(look.size);
        theme.setMode(look.theme);
        for (const QString& id : {second, first}) {
            emit window.runPage().attachRequested(id);
            window.runPage().plots().setCursor(120);
            settle();
            const QString name =
                QStringLiteral("%1%2").arg(QLatin1String(look.name), id == second ? "-failed" : "");
            window.runPage().grab().save(QStringLiteral("%1/runpage-%2.png").arg(target, name));
        }
        grabPages(window, target, QString::fromLatin1(look.name));
    }
    return 0;
}
