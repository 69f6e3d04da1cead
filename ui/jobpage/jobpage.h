// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/jobpage/jobdocument.h"
#include "ui/jobpage/planview.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QListView;
class QPushButton;

namespace coxswain::ui {

class FieldRow;
class NodePickerModel;
class NoticeBar;
class PlanPanel;
class Theme;

/// The form of a job and, beside it, its plan. Asks by signals.
class JobPage : public QWidget {
    Q_OBJECT
public:
    JobPage(const Theme& theme, Estimate estimate, QWidget* parent = nullptr);

    void setNodes(const QList<job::NodeStatus>& nodes);
    /// Says in the page's notice what is wrong with a file that cannot be opened.
    bool openFile(const QString& file, const QStringList& settings = {});
    void setSpec(const wire::JobSpec& spec, const QString& folder);
    JobDocument& document() { return m_document; }
    NoticeBar& notices() { return *m_notices; }
    bool canRun() const { return m_view.canRun; }
    /// Chosen nodes of which nothing is known yet.
    const QList<core::HostName>& hostsToCheck() const { return m_view.toCheck; }
    /// Emits runRequested() when the job can run.
    void run();

signals:
    void runRequested(const coxswain::wire::JobSpec& spec, const QString& jobFolder,
                      const QList<core::HostName>& hosts);
    void checkRequested(const QList<core::HostName>& hosts, const QString& runtime);

private:
    QWidget* makeToolBar();
    QWidget* makeForm();
    void askOpen();
    void askSave();
    void readNodes();
    void writeNodes();
    void refreshPlan();
    void refreshTitle();

    const Theme& m_theme;
    Estimate m_estimate;
    JobDocument m_document;
    PlanView m_view;
    QTimer m_replan; ///< while a person types, the plan waits for a pause
    NodePickerModel* m_picker;
    NoticeBar* m_notices;
    PlanPanel* m_plan;
    FieldRow* m_nodesRow = nullptr;
    QLabel* m_title = nullptr;
    QPushButton* m_run = nullptr;
};

} // namespace coxswain::ui
