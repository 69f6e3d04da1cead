// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/run.h"
#include "ui/plots/plotgroup.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

class QLabel;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QTableView;

namespace coxswain::ui {

class EmptyState;
class EventsModel;
class FailureCardView;
class LogView;
class NodeProgressModel;
class NoticeBar;
class PhaseStrip;
class RunHeader;
class Theme;

/// One run, live or from disk. The run stays the caller's; its stop is asked of it directly.
class RunPage : public QWidget {
    Q_OBJECT
public:
    explicit RunPage(const Theme& theme, QWidget* parent = nullptr);
    ~RunPage() override;

    /// nullptr: there is none. Must be called before a shown run is destroyed.
    void setRun(job::Run* run);
    job::Run* run() const { return m_run; }
    /// Runs that nobody follows here and that may be going on: offered while no run is shown.
    void offerRuns(const QList<job::RunRecord>& running);
    PlotGroup& plots() { return m_group; }
    NoticeBar& notices() { return *m_notices; }

signals:
    void newJobRequested();
    void attachRequested(const QString& id);
    void againRequested(const QString& id);

private:
    QWidget* makePlots();
    QWidget* makeLists();
    QWidget* makeEmpty();
    void refresh();
    void refreshEvents();
    void readRanks();
    void showStepOf(int row);

    const Theme& m_theme;
    QPointer<job::Run> m_run;
    PlotGroup m_group;
    int m_worldSize = -1;
    bool m_eventsAreOld = false;
    QTimer m_frame; ///< Note [Plot refresh]
    EventsModel* m_events;
    NodeProgressModel* m_progress;
    QStackedWidget* m_stack; ///< empty, or a run
    QStackedWidget* m_body;  ///< progress of the nodes, or plots
    RunHeader* m_header;
    PhaseStrip* m_phases;
    FailureCardView* m_failure;
    NoticeBar* m_notices;
    QLabel* m_clean;
    QTabWidget* m_tabs;
    QTableView* m_eventsTable;
    LogView* m_log;
    QWidget* m_offers;
};

} // namespace coxswain::ui
