// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/nodes.h"

#include <QAbstractTableModel>

namespace coxswain::ui {

class Theme;

/// One row a node, in the order of job::Nodes.
class NodesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        State,
        Name,
        Address,
        Gpus,
        GpuMemory,
        Driver,
        Cuda,
        Nccl,
        Cores,
        Memory,
        Disk,
        Problems,
        ColumnCount
    };
    static constexpr int sortRole = Qt::UserRole; ///< numbers as numbers; unknown ones are invalid

    explicit NodesModel(const Theme& theme, QObject* parent = nullptr);

    /// The same hosts in the same order keep their rows; else the model is reset.
    void setNodes(const QList<job::NodeStatus>& nodes);
    const job::NodeStatus& node(int row) const { return m_nodes[row]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const job::NodeStatus& node, int column) const;
    QVariant sortKey(const job::NodeStatus& node, int column) const;
    QString toolTip(const job::NodeStatus& node, int column) const;

    const Theme& m_theme;
    QList<job::NodeStatus> m_nodes;
};

} // namespace coxswain::ui
