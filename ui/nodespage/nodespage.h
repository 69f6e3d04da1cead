// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/nodes.h"

#include <QWidget>

class QItemSelectionModel;
class QPushButton;
class QSortFilterProxyModel;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace coxswain::ui {

class CheckDetails;
class CheckMatrixModel;
class DifferencesFilter;
class NodesModel;
class NoticeBar;
class Theme;

/// The table of known nodes and, below it, the check matrix of the selected ones (of all, where none is
/// selected). Shows what it is given and asks by signals.
class NodesPage : public QWidget {
    Q_OBJECT
public:
    using Hosts = QList<core::HostName>;

    explicit NodesPage(const Theme& theme, QWidget* parent = nullptr);

    void setNodes(const QList<job::NodeStatus>& nodes);
    /// Results that concern the hosts of shownHosts() together.
    void setTogether(const QList<core::CheckResult>& results);
    /// Selected nodes, all where none is selected.
    Hosts shownHosts() const;
    NoticeBar& notices() { return *m_notices; }

signals:
    void addRequested(const QString& text);
    void removeRequested(const QList<core::HostName>& hosts);
    void checkRequested(const QList<core::HostName>& hosts);
    void cancelRequested(const QList<core::HostName>& hosts);
    void cleanRequested(const QList<core::HostName>& hosts);
    /// shownHosts() is not what it was, or something about them is new: setTogether() is expected.
    void shownChanged();

private:
    QWidget* makeToolBar();
    QWidget* makeTable();
    QWidget* makeMatrix();
    void openAddDialog();
    void askClean();
    Hosts selectedHosts() const;
    void refreshMatrix();
    void refreshActions();
    void showDetails();

    const Theme& m_theme;
    QList<job::NodeStatus> m_nodes;
    QList<core::CheckResult> m_together;
    NodesModel* m_model;
    QSortFilterProxyModel* m_sorted;
    CheckMatrixModel* m_matrixModel;
    DifferencesFilter* m_differences;
    NoticeBar* m_notices;
    QStackedWidget* m_stack;
    QTableView* m_table = nullptr;
    QTableView* m_matrix = nullptr;
    CheckDetails* m_details = nullptr;
    QPushButton *m_remove = nullptr, *m_check = nullptr, *m_cancel = nullptr, *m_clean = nullptr;
};

} // namespace coxswain::ui
