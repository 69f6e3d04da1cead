// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/run.h"

#include <QAbstractTableModel>

namespace coxswain::ui {

class Theme;

/// What happened in a run, in order of time: phases, the ranks' start, checkpoints, stops, errors and ends.
/// The same event of several ranks is one row.
class EventsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Time, Where, Step, What, ColumnCount };

    explicit EventsModel(const Theme& theme, QObject* parent = nullptr);

    void set(const job::RunSnapshot& snapshot, const QList<core::StoredEvent>& stored);
    void clear();
    /// The step of a row; nothing where it has none.
    std::optional<qint64> step(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row {
        double time = 0; ///< seconds since 1970
        core::Severity severity = core::Severity::Info;
        QList<int> ranks;
        std::optional<qint64> step;
        QString what;
        bool operator==(const Row&) const = default;
    };
    void addPhases(const job::RunSnapshot& snapshot, QList<Row>& rows) const;
    void addStored(const core::StoredEvent& event, QList<Row>& rows) const;
    QString where(const Row& row) const;

    const Theme& m_theme;
    QList<Row> m_rows;
    core::Plan m_plan;
    double m_start = 0;
};

} // namespace coxswain::ui
