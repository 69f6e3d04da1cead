// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobpage/nodepickermodel.h"

#include "ui/nodefacts.h"
#include "ui/theme.h"
#include "ui/widgets/icons.h"

#include <algorithm>

namespace coxswain::ui {
namespace {

const core::HostName thisMachine{{}, QStringLiteral("local"), 0};

} // namespace

NodePickerModel::NodePickerModel(const Theme& theme, QObject* parent)
    : QAbstractListModel(parent), m_theme(theme) {
    connect(&theme, &Theme::changed, this,
            [this] { emit dataChanged(index(0), index(int(m_rows.size()) - 1), {Qt::DecorationRole}); });
    rebuild();
}

void NodePickerModel::setNodes(const QList<job::NodeStatus>& nodes) {
    m_known = nodes;
    rebuild();
}

void NodePickerModel::setChosen(const QList<core::HostName>& hosts) {
    m_chosen = hosts;
    rebuild();
}

void NodePickerModel::rebuild() {
    QList<job::NodeStatus> rows;
    const auto has = [&rows](const core::HostName& host) {
        return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.host == host; });
    };
    const auto add = [&](const job::NodeStatus& node) {
        if (!has(node.host))
            rows.append(node);
    };
    for (const auto& node : m_known)
        if (node.host.isLocal())
            add(node);
    for (const core::HostName& host : {thisMachine})
        add({host, job::NodeStatus::State::NotChecked, {}, {}, {}, {}});
    for (const auto& node : m_known)
        add(node);
    for (const auto& host : m_chosen)
        add({host, job::NodeStatus::State::NotChecked, {}, {}, {}, {}});
    const bool same = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
                                 [](const auto& a, const auto& b) { return a.host == b.host; });
    if (!same)
        beginResetModel();
    m_rows = rows;
    if (!same)
        endResetModel();
    else
        emit dataChanged(index(0), index(int(rows.size()) - 1));
}

QList<core::HostName> NodePickerModel::chosen() const {
    QList<core::HostName> hosts;
    for (const auto& node : m_rows)
        if (m_chosen.contains(node.host))
            hosts.append(node.host);
    return hosts;
}

QList<job::NodeStatus> NodePickerModel::chosenNodes() const {
    QList<job::NodeStatus> nodes;
    for (const auto& node : m_rows)
        if (m_chosen.contains(node.host))
            nodes.append(node);
    return nodes;
}

int NodePickerModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

QString NodePickerModel::describe(const job::NodeStatus& node) const {
    if (!node.inventory)
        return nodefacts::stateText(node).toLower();
    const bool gpus = !node.inventory->nvidia.gpus.isEmpty();
    return gpus ? tr("%1, %2 cores").arg(nodefacts::gpus(*node.inventory)).arg(node.inventory->cores)
                : tr("no GPU, %1 cores").arg(node.inventory->cores);
}

QVariant NodePickerModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_rows.size())
        return {};
    const auto& node = m_rows[index.row()];
    const auto severity = nodefacts::stateSeverity(node);
    switch (role) {
    case Qt::DisplayRole:
        return QStringLiteral("%1 – %2").arg(nodefacts::displayName(node.host), describe(node));
    case Qt::DecorationRole:
        return icons::severityIcon(severity, m_theme.colours().of(severity));
    case Qt::CheckStateRole:
        return m_chosen.contains(node.host) ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
        return node.error ? node.error->text()
                          : (QStringList{nodefacts::stateText(node)} + nodefacts::problemLines(node))
                                .join(QLatin1Char('\n'));
    default:
        return {};
    }
}

bool NodePickerModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::CheckStateRole || !index.isValid() || index.row() >= m_rows.size())
        return false;
    const core::HostName host = m_rows[index.row()].host;
    if (value.toInt() == Qt::Checked) {
        if (!m_chosen.contains(host))
            m_chosen.append(host);
    } else {
        m_chosen.removeAll(host);
    }
    emit dataChanged(index, index, {Qt::CheckStateRole});
    emit chosenChanged();
    return true;
}

Qt::ItemFlags NodePickerModel::flags(const QModelIndex& index) const {
    return index.isValid()
               ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemNeverHasChildren
               : Qt::NoItemFlags;
}

} // namespace coxswain::ui
