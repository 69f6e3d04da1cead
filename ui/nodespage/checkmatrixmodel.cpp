// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodespage/checkmatrixmodel.h"

#include "ui/checktexts.h"
#include "ui/nodefacts.h"
#include "ui/theme.h"
#include "ui/widgets/icons.h"

#include <QSet>

namespace coxswain::ui {

CheckMatrixModel::CheckMatrixModel(const Theme& theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme) {
    connect(&theme, &Theme::changed, this, [this] {
        if (!m_rows.isEmpty())
            emit dataChanged(index(0, 0), index(int(m_rows.size()) - 1, int(m_hosts.size()) - 1),
                             {Qt::DecorationRole});
    });
}

void CheckMatrixModel::setNodes(const QList<job::NodeStatus>& nodes,
                                const QList<core::CheckResult>& together) {
    QStringList hosts;
    QStringList ids;
    const auto note = [&ids](const QString& id) {
        if (!ids.contains(id))
            ids.append(id);
    };
    for (const auto& node : nodes) {
        if (node.checks.isEmpty())
            continue;
        hosts.append(node.host.toString());
        for (const auto& check : node.checks)
            note(check.id);
    }
    bool shared = false;
    for (const auto& check : together) {
        note(check.id);
        shared = shared || check.host.isEmpty();
    }
    if (shared)
        hosts.append(QString());

    QList<Row> rows;
    for (const QString& id : ids)
        rows.append({id, QList<std::optional<core::CheckResult>>(hosts.size())});
    const auto place = [&](const core::CheckResult& check, qsizetype column) {
        if (column >= 0)
            rows[ids.indexOf(check.id)].cells[column] = check;
    };
    for (const auto& node : nodes)
        for (const auto& check : node.checks)
            place(check, hosts.indexOf(node.host.toString()));
    for (const auto& check : together)
        place(check, hosts.indexOf(check.host));

    const auto idsOf = [](const QList<Row>& list) {
        QStringList names;
        for (const Row& row : list)
            names.append(row.id);
        return names;
    };
    // Selection and scroll position survive while only values change.
    const bool same = hosts == m_hosts && ids == idsOf(m_rows);
    if (!same)
        beginResetModel();
    m_hosts = hosts;
    m_rows = rows;
    if (!same)
        endResetModel();
    else if (!rows.isEmpty() && !hosts.isEmpty())
        emit dataChanged(index(0, 0), index(int(rows.size()) - 1, int(hosts.size()) - 1));
}

const core::CheckResult* CheckMatrixModel::result(const QModelIndex& index) const {
    if (!index.isValid() || index.row() >= m_rows.size() || index.column() >= m_hosts.size())
        return nullptr;
    const auto& cell = m_rows[index.row()].cells[index.column()];
    return cell ? &*cell : nullptr;
}

bool CheckMatrixModel::differs(int row) const {
    QSet<QString> seen;
    for (qsizetype column = 0; column < m_hosts.size(); ++column) {
        const auto& cell = m_rows[row].cells[column];
        if (m_hosts[column].isEmpty()) {
            if (cell && cell->severity != core::Severity::Ok)
                return true;
        } else {
            seen.insert(cell ? core::severityName(cell->severity) + cell->observed : QString());
        }
    }
    return seen.size() > 1;
}

int CheckMatrixModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int CheckMatrixModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_hosts.size());
}

QVariant CheckMatrixModel::data(const QModelIndex& index, int role) const {
    const core::CheckResult* check = result(index);
    if (!check)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return check->observed;
    case Qt::DecorationRole:
        return icons::severityIcon(check->severity, m_theme.colours().of(check->severity));
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
        return tr("%1: %2").arg(checktexts::severityTitle(check->severity), check->observed);
    default:
        return {};
    }
}

QVariant CheckMatrixModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && section < m_hosts.size()) {
        if (role == Qt::DisplayRole)
            return m_hosts[section].isEmpty() ? tr("Together") : nodefacts::displayName(m_hosts[section]);
        if (role == Qt::ToolTipRole && m_hosts[section].isEmpty())
            return tr("What concerns all of these nodes together");
    }
    if (orientation == Qt::Vertical && section < m_rows.size()) {
        if (role == Qt::DisplayRole)
            return checktexts::title(m_rows[section].id);
        if (role == Qt::ToolTipRole)
            return checktexts::why(m_rows[section].id);
    }
    return QVariant();
}

DifferencesFilter::DifferencesFilter(CheckMatrixModel& model, QObject* parent)
    : QSortFilterProxyModel(parent), m_model(model) {
    setSourceModel(&model);
}

void DifferencesFilter::setActive(bool active) {
    m_active = active;
    invalidateFilter();
}

bool DifferencesFilter::filterAcceptsRow(int row, const QModelIndex&) const {
    return !m_active || m_model.differs(row);
}

} // namespace coxswain::ui
