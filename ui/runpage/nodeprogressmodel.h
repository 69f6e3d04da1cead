// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/run.h"

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

namespace coxswain::ui {

/// One row a node of the run: its connection, and how far its files are.
class NodeProgressModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Link, Progress, Amount, Note, ColumnCount };
    static constexpr int permilleRole = Qt::UserRole; ///< of Progress; invalid before the total is known

    explicit NodeProgressModel(QObject* parent = nullptr);
    void setNodes(const QList<job::NodeProgress>& nodes);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QList<job::NodeProgress> m_nodes;
};

/// Draws permilleRole as a progress bar.
class ProgressDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace coxswain::ui
