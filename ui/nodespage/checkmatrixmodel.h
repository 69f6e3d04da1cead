// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/nodes.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace coxswain::ui {

class Theme;

/// Checks × nodes. One row a check; one column a node that was checked, and a last one, "Together", where
/// there are checks that concern all nodes.
class CheckMatrixModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit CheckMatrixModel(const Theme& theme, QObject* parent = nullptr);

    /// `together` are the results that concern all nodes; a result that names a host goes to its column.
    void setNodes(const QList<job::NodeStatus>& nodes, const QList<core::CheckResult>& together);

    /// The result of a cell; nullptr where the check was not made there.
    const core::CheckResult* result(const QModelIndex& index) const;
    /// Whether nodes differ in that check, or it compares nodes and is not OK.
    bool differs(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row {
        QString id;
        QList<std::optional<core::CheckResult>> cells; ///< by column
    };
    const Theme& m_theme;
    QStringList m_hosts; ///< by column; empty text for "Together"
    QList<Row> m_rows;
};

/// The rows in which nodes differ, when it is switched on.
class DifferencesFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit DifferencesFilter(CheckMatrixModel& model, QObject* parent = nullptr);
    void setActive(bool active);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    CheckMatrixModel& m_model;
    bool m_active = false;
};

} // namespace coxswain::ui
