// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/runrecord.h"

#include <QAbstractTableModel>

namespace coxswain::ui {

class Theme;

/// Every run that the desktop knows, newest first.
class HistoryModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { State, Name, Started, Duration, Nodes, Ranks, Steps, FirstLoss, LastLoss, ColumnCount };
    static constexpr int sortRole = Qt::UserRole;

    explicit HistoryModel(const Theme& theme, QObject* parent = nullptr);

    /// The same runs in the same order keep their rows.
    void setRuns(const QList<job::RunRecord>& runs);
    const job::RunRecord& run(int row) const { return m_runs[row]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const job::RunRecord& run, int column) const;
    QVariant sortKey(const job::RunRecord& run, int column) const;
    QString toolTip(const job::RunRecord& run, int column) const;

    const Theme& m_theme;
    QList<job::RunRecord> m_runs;
};

} // namespace coxswain::ui
