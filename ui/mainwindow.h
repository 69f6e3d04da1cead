// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/hostkeyquestions.h"
#include "cluster/job/nodes.h"
#include "cluster/job/runs.h"
#include "ui/openruns.h"
#include "ui/settings.h"
#include "ui/sidebar.h"
#include "ui/theme.h"

#include <QMainWindow>

class QStackedWidget;

namespace coxswain::ui {

class HistoryPage;
class JobPage;
class NodesPage;
class RunPage;

/// What the window works on; all of it outlives the window.
struct WindowServices {
    job::Paths paths;
    job::Nodes& nodes;
    job::Runs& runs;
    job::HostKeyQuestions& questions;
    Settings& settings;
    Theme& theme;
};

/// Four pages and a sidebar. Connects the pages' wishes with nodes and runs.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const WindowServices& services, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Shows the Job page with that file, changed by `settings` ("train.steps=50"); with `start` the job
    /// starts as soon as its nodes are checked.
    void openJob(const QString& file, const QStringList& settings, bool start);
    void showPage(Sidebar::Page page);
    JobPage& jobPage() { return *m_jobPage; }
    RunPage& runPage() { return *m_runPage; }

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void connectNodes();
    void connectJob();
    void connectRuns();
    void connectHostKeys();
    void restore();
    void nodesChanged();
    void runsChanged();
    void checkNodes(const QList<core::HostName>& hosts, const QString& runtime);
    void startRun(const wire::JobSpec& spec, const QString& folder, const QList<core::HostName>& hosts);
    void openRun(const QString& id);
    void showRun(job::Run* run);
    void runAgain(const QString& id);
    void exportRun(const QString& id, const QString& file);
    void deleteRuns(const QStringList& ids);
    void refreshSidebar();
    void startWhenChecked();

    WindowServices m_services;
    OpenRuns m_openRuns;
    Sidebar* m_sidebar;
    QStackedWidget* m_pages;
    NodesPage* m_nodesPage;
    JobPage* m_jobPage;
    RunPage* m_runPage;
    HistoryPage* m_historyPage;
    bool m_startWhenChecked = false;
};

} // namespace coxswain::ui
