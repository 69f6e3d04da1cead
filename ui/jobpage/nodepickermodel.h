// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/nodes.h"

#include <QAbstractListModel>

namespace coxswain::ui {

class Theme;

/// Nodes that a job can use: this machine, the known ones, and those that the job names and nobody knows yet.
/// Checked ones take part, in the order of the list.
class NodePickerModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit NodePickerModel(const Theme& theme, QObject* parent = nullptr);

    void setNodes(const QList<job::NodeStatus>& nodes);
    void setChosen(const QList<core::HostName>& hosts);
    /// In the order of the list.
    QList<core::HostName> chosen() const;
    /// Known or not, with what is known of them.
    QList<job::NodeStatus> chosenNodes() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

signals:
    void chosenChanged(); ///< by a person

private:
    void rebuild();
    QString describe(const job::NodeStatus& node) const;

    const Theme& m_theme;
    QList<job::NodeStatus> m_known;
    QList<core::HostName> m_chosen;
    QList<job::NodeStatus> m_rows;
};

} // namespace coxswain::ui
