// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/runrecord.h"

#include <QWidget>

class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace coxswain::ui {

class HistoryModel;
class NoticeBar;
class Theme;

/// All runs: to open, follow, run again, export and delete. Asks by signals.
class HistoryPage : public QWidget {
    Q_OBJECT
public:
    explicit HistoryPage(const Theme& theme, QWidget* parent = nullptr);

    void setRuns(const QList<job::RunRecord>& runs);
    NoticeBar& notices() { return *m_notices; }

signals:
    /// Of a run that may still be going on: to follow it.
    void openRequested(const QString& id);
    void againRequested(const QString& id);
    void exportRequested(const QString& id, const QString& file);
    void deleteRequested(const QStringList& ids);
    void newJobRequested();

private:
    QWidget* makeToolBar();
    QWidget* makeTable();
    QList<job::RunRecord> selected() const;
    void refreshActions();
    void openCurrent();
    void askExport();
    void askDelete();

    HistoryModel* m_model;
    QSortFilterProxyModel* m_filtered;
    NoticeBar* m_notices;
    QStackedWidget* m_stack;
    QLineEdit* m_search = nullptr;
    QTableView* m_table = nullptr;
    QPushButton *m_open = nullptr, *m_again = nullptr, *m_export = nullptr, *m_delete = nullptr;
};

} // namespace coxswain::ui
