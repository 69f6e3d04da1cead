// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mainwindow.h"

#include "cluster/job/csvexport.h"
#include "ui/historypage/historypage.h"
#include "ui/hostkeydialog.h"
#include "ui/jobpage/jobpage.h"
#include "ui/nodefacts.h"
#include "ui/nodespage/nodespage.h"
#include "ui/runpage/runpage.h"
#include "ui/runtexts.h"
#include "ui/widgets/noticebar.h"

#include <QCloseEvent>
#include <QHBoxLayout>
#include <QSaveFile>
#include <QStackedWidget>

namespace coxswain::ui {
namespace {

/// In the settings, by Sidebar::Page.
constexpr const char* pageNames[] = {"nodes", "job", "run", "history"};

const QString anyRuntime = QStringLiteral("auto");

} // namespace

MainWindow::MainWindow(const WindowServices& services, QWidget* parent)
    : QMainWindow(parent), m_services(services), m_openRuns(services.runs),
      m_sidebar(new Sidebar(services.theme)), m_pages(new QStackedWidget),
      m_nodesPage(new NodesPage(services.theme)),
      m_jobPage(new JobPage(
          services.theme,
          [&runs = services.runs](const wire::JobSpec& spec, const QString& folder, const QString& runtime) {
              return runs.estimate(spec, folder, runtime);
          })),
      m_runPage(new RunPage(services.theme)), m_historyPage(new HistoryPage(services.theme)) {
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(QStringLiteral("Coxswain"));
    for (QWidget* page : {static_cast<QWidget*>(m_nodesPage), static_cast<QWidget*>(m_jobPage),
                          static_cast<QWidget*>(m_runPage), static_cast<QWidget*>(m_historyPage)})
        m_pages->addWidget(page);
    auto* central = new QWidget;
    auto* row = new QHBoxLayout(central);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_sidebar);
    row->addWidget(m_pages, 1);
    setCentralWidget(central);
    connect(m_sidebar, &Sidebar::pageRequested, this,
            [this](int page) { showPage(static_cast<Sidebar::Page>(page)); });
    connect(m_sidebar, &Sidebar::themeRequested, this, [this](ThemeMode mode) {
        m_services.theme.setMode(mode);
        m_services.settings.setTheme(mode);
    });
    connectNodes();
    connectJob();
    connectRuns();
    connectHostKeys();
    restore();
}

MainWindow::~MainWindow() {
    m_runPage->setRun(nullptr); // the runs go before the widgets
}

void MainWindow::connectNodes() {
    auto& nodes = m_services.nodes;
    connect(&nodes, &job::Nodes::changed, this, &MainWindow::nodesChanged);
    connect(m_nodesPage, &NodesPage::addRequested, this, [this](const QString& text) {
        const auto added = m_services.nodes.add(text);
        if (!added)
            m_nodesPage->notices().show(core::Severity::Error, added.error().text());
        else
            checkNodes(*added, anyRuntime);
    });
    connect(m_nodesPage, &NodesPage::removeRequested, &nodes, &job::Nodes::remove);
    connect(m_nodesPage, &NodesPage::checkRequested, this,
            [this](const QList<core::HostName>& hosts) { checkNodes(hosts, anyRuntime); });
    connect(m_nodesPage, &NodesPage::cancelRequested, &nodes, &job::Nodes::cancel);
    connect(m_nodesPage, &NodesPage::cleanRequested, this, [this](const QList<core::HostName>& hosts) {
        m_nodesPage->notices().clear();
        m_services.nodes.clean(
            hosts, m_nodesPage, [this](const core::HostName& host, const core::Expected<QString>& result) {
                if (result)
                    m_nodesPage->notices().append(core::Severity::Ok,
                                                  tr("%1: %2").arg(nodefacts::displayName(host), *result));
                else
                    m_nodesPage->notices().append(core::Severity::Error, result.error().text());
            });
    });
    connect(m_nodesPage, &NodesPage::shownChanged, this, [this] {
        const auto hosts = m_nodesPage->shownHosts();
        core::Requirements needs;
        needs.runtime = anyRuntime;
        needs.several = hosts.size() > 1;
        m_nodesPage->setTogether(m_services.nodes.together(hosts, needs));
    });
}

void MainWindow::connectJob() {
    connect(m_jobPage, &JobPage::runRequested, this, &MainWindow::startRun);
    connect(m_jobPage, &JobPage::checkRequested, this, &MainWindow::checkNodes);
    connect(&m_services.nodes, &job::Nodes::checkFinished, this, &MainWindow::startWhenChecked);
}

void MainWindow::connectRuns() {
    connect(&m_services.runs, &job::Runs::changed, this, &MainWindow::runsChanged);
    connect(m_runPage, &RunPage::newJobRequested, this, [this] { showPage(Sidebar::Job); });
    connect(m_historyPage, &HistoryPage::newJobRequested, this, [this] { showPage(Sidebar::Job); });
    connect(m_runPage, &RunPage::attachRequested, this, &MainWindow::openRun);
    connect(m_runPage, &RunPage::againRequested, this, &MainWindow::runAgain);
    connect(m_historyPage, &HistoryPage::openRequested, this, &MainWindow::openRun);
    connect(m_historyPage, &HistoryPage::againRequested, this, &MainWindow::runAgain);
    connect(m_historyPage, &HistoryPage::exportRequested, this, &MainWindow::exportRun);
    connect(m_historyPage, &HistoryPage::deleteRequested, this, &MainWindow::deleteRuns);
}

void MainWindow::connectHostKeys() {
    auto& questions = m_services.questions;
    connect(&questions, &job::HostKeyQuestions::asked, this,
            [this](const job::HostKeyQuestions::Question& question) {
                auto* dialog = new HostKeyDialog(
                    {question.id, question.host.toString(), question.keyType, question.fingerprint}, this);
                dialog->setAttribute(Qt::WA_DeleteOnClose);
                connect(dialog, &HostKeyDialog::answered, &m_services.questions,
                        &job::HostKeyQuestions::answer);
                dialog->open();
            });
}

void MainWindow::restore() {
    const auto& settings = m_services.settings;
    m_services.theme.setMode(settings.theme());
    m_sidebar->setThemeMode(settings.theme());
    resize(1280, 820);
    setMinimumSize(1000, 620);
    restoreGeometry(settings.geometry());
    nodesChanged();
    runsChanged();
    int page = Sidebar::Nodes;
    for (int i = 0; i < Sidebar::PageCount; ++i)
        if (settings.page() == QLatin1String(pageNames[i]))
            page = i;
    showPage(static_cast<Sidebar::Page>(page));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    // Asks nothing and loses nothing: runs belong to their nodes.
    m_services.settings.setGeometry(saveGeometry());
    event->accept();
}

void MainWindow::showPage(Sidebar::Page page) {
    m_sidebar->setPage(page);
    m_pages->setCurrentIndex(page);
    m_pages->currentWidget()->setFocus(Qt::OtherFocusReason);
    m_services.settings.setPage(QString::fromLatin1(pageNames[page]));
    if (page == Sidebar::History)
        runsChanged();
}

void MainWindow::openJob(const QString& file, const QStringList& settings, bool start) {
    showPage(Sidebar::Job);
    if (!m_jobPage->openFile(file, settings) || !start)
        return;
    m_startWhenChecked = true;
    const auto hosts = m_jobPage->hostsToCheck();
    if (hosts.isEmpty())
        startWhenChecked();
    else
        checkNodes(hosts, anyRuntime);
}

void MainWindow::startWhenChecked() {
    if (!m_startWhenChecked)
        return;
    m_startWhenChecked = false;
    m_jobPage->run();
}

void MainWindow::nodesChanged() {
    m_nodesPage->setNodes(m_services.nodes.list());
    m_jobPage->setNodes(m_services.nodes.list());
}

void MainWindow::checkNodes(const QList<core::HostName>& hosts, const QString& runtime) {
    QStringList unknown; // a job file may name nodes that are not in the list
    for (const auto& host : hosts)
        if (!m_services.nodes.find(host))
            unknown.append(host.toString());
    if (!unknown.isEmpty())
        if (auto added = m_services.nodes.add(unknown.join(QLatin1Char(','))); !added)
            return m_jobPage->notices().show(core::Severity::Error, added.error().text());
    core::Requirements needs;
    needs.runtime = runtime;
    needs.several = hosts.size() > 1;
    m_services.nodes.check(hosts, needs);
}

void MainWindow::startRun(const wire::JobSpec& spec, const QString& folder,
                          const QList<core::HostName>& hosts) {
    m_jobPage->notices().clear();
    const auto run = m_openRuns.start(spec, folder, hosts);
    if (!run)
        return m_jobPage->notices().show(core::Severity::Error, run.error().text());
    showRun(*run);
}

void MainWindow::openRun(const QString& id) {
    if (m_runPage->run() && m_runPage->run()->snapshot().record.id == id)
        m_runPage->setRun(nullptr);
    QString note;
    const auto run = m_openRuns.open(id, &note);
    if (!run) {
        showPage(Sidebar::History);
        return m_historyPage->notices().show(core::Severity::Error, run.error().text());
    }
    showRun(*run);
    if (!note.isEmpty())
        m_runPage->notices().show(core::Severity::Info, note);
}

void MainWindow::showRun(job::Run* run) {
    if (m_runPage->run())
        disconnect(m_runPage->run(), nullptr, this, nullptr);
    m_runPage->setRun(run);
    m_openRuns.releaseEnded(run);
    connect(run, &job::Run::snapshotChanged, this, &MainWindow::refreshSidebar);
    connect(run, &job::Run::ended, this, &MainWindow::refreshSidebar);
    refreshSidebar();
    showPage(Sidebar::Run);
}

void MainWindow::runAgain(const QString& id) {
    for (const auto& record : m_services.runs.list()) {
        if (record.id != id)
            continue;
        wire::JobSpec spec = record.plan.spec;
        spec.nodes.clear();
        for (const auto& node : record.plan.nodes)
            spec.nodes.push_back(node.host.toString().toStdString());
        m_jobPage->setSpec(spec, m_services.paths.runs + QLatin1Char('/') + id);
        return showPage(Sidebar::Job);
    }
    m_historyPage->notices().show(core::Severity::Error, tr("The run %1 is not there any more.").arg(id));
}

void MainWindow::exportRun(const QString& id, const QString& file) {
    const auto folder = job::RunFolder::open(m_services.paths.runs, id);
    QSaveFile csv(file);
    core::Expected<void> written = folder ? core::Expected<void>() : core::fail(folder.error());
    if (written && csv.open(QIODevice::WriteOnly))
        written = job::exportCsv(*folder, csv);
    if (written && !csv.commit())
        written =
            core::fail({core::ErrorCode::Permission, {}, tr("write %1").arg(file), csv.errorString(), {}});
    if (written)
        m_historyPage->notices().show(core::Severity::Ok, tr("Written to %1").arg(file));
    else
        m_historyPage->notices().show(core::Severity::Error, written.error().text());
}

void MainWindow::deleteRuns(const QStringList& ids) {
    m_historyPage->notices().clear();
    for (const QString& id : ids) {
        if (m_openRuns.isFollowed(id)) {
            m_historyPage->notices().append(core::Severity::Error,
                                            tr("The run %1 is still going on: stop it first.").arg(id));
            continue;
        }
        if (m_runPage->run() && m_runPage->run()->snapshot().record.id == id) {
            m_runPage->setRun(nullptr);
            refreshSidebar();
        }
        m_openRuns.releaseEnded(m_runPage->run());
        if (auto removed = m_services.runs.remove(id); !removed)
            m_historyPage->notices().append(core::Severity::Error, removed.error().text());
    }
}

void MainWindow::runsChanged() {
    const auto runs = m_services.runs.list();
    m_historyPage->setRuns(runs);
    QList<job::RunRecord> running;
    for (const auto& record : runs)
        if (runtexts::mayBeRunning(record) && !m_openRuns.isFollowed(record.id))
            running.append(record);
    m_runPage->offerRuns(running);
}

void MainWindow::refreshSidebar() {
    m_sidebar->setRun(m_runPage->run() ? &m_runPage->run()->snapshot() : nullptr);
}

} // namespace coxswain::ui
