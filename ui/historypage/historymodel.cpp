// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/historypage/historymodel.h"

#include "ui/format.h"
#include "ui/nodefacts.h"
#include "ui/runtexts.h"
#include "ui/theme.h"
#include "ui/widgets/icons.h"

#include <algorithm>

namespace coxswain::ui {
namespace {

/// Seconds from start to end; nothing while it runs.
std::optional<double> secondsOf(const job::RunRecord& run) {
    if (!run.ended.isValid())
        return std::nullopt;
    return double(run.created.msecsTo(run.ended)) / 1000;
}

QString lossText(const std::optional<double>& loss) {
    return loss ? format::number(*loss) : QString();
}

} // namespace

HistoryModel::HistoryModel(const Theme& theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme) {
    connect(&theme, &Theme::changed, this, [this] {
        if (!m_runs.isEmpty())
            emit dataChanged(index(0, State), index(int(m_runs.size()) - 1, State), {Qt::DecorationRole});
    });
}

void HistoryModel::setRuns(const QList<job::RunRecord>& runs) {
    const bool same = std::equal(runs.begin(), runs.end(), m_runs.begin(), m_runs.end(),
                                 [](const auto& a, const auto& b) { return a.id == b.id; });
    if (!same)
        beginResetModel();
    m_runs = runs;
    if (!same)
        endResetModel();
    else if (!runs.isEmpty())
        emit dataChanged(index(0, 0), index(int(runs.size()) - 1, ColumnCount - 1));
}

int HistoryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_runs.size());
}

int HistoryModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant HistoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_runs.size())
        return {};
    const auto& run = m_runs[index.row()];
    switch (role) {
    case Qt::DisplayRole: {
        const QString shown = text(run, index.column());
        return shown.isEmpty() ? QStringLiteral("–") : shown;
    }
    case Qt::DecorationRole:
        if (index.column() == State) {
            const auto severity = runtexts::stateSeverity(run);
            return icons::severityIcon(severity, m_theme.colours().of(severity));
        }
        return {};
    case Qt::ToolTipRole:
        return toolTip(run, index.column());
    case Qt::TextAlignmentRole:
        return index.column() >= Ranks ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case sortRole:
        return sortKey(run, index.column());
    default:
        return {};
    }
}

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    switch (section) {
    case State:
        return tr("State");
    case Name:
        return tr("Name");
    case Started:
        return tr("Started");
    case Duration:
        return tr("Duration");
    case Nodes:
        return tr("Nodes");
    case Ranks:
        return tr("Ranks");
    case Steps:
        return tr("Steps");
    case FirstLoss:
        return tr("First loss");
    case LastLoss:
        return tr("Last loss");
    default:
        return {};
    }
}

QString HistoryModel::text(const job::RunRecord& run, int column) const {
    switch (column) {
    case State:
        return runtexts::stateText(run);
    case Name:
        return run.name;
    case Started:
        return format::ago(run.created, QDateTime::currentDateTime());
    case Duration: {
        const auto seconds = secondsOf(run);
        return seconds ? format::duration(*seconds) : QString();
    }
    case Nodes:
        return runtexts::nodesText(run.plan);
    case Ranks:
        return run.plan.worldSize > 0 ? QString::number(run.plan.worldSize) : QString();
    case Steps:
        return tr("%1 / %2").arg(format::count(run.steps), format::count(run.plan.spec.train.steps));
    case FirstLoss:
        return lossText(run.firstLoss);
    case LastLoss:
        return lossText(run.lastLoss);
    default:
        return {};
    }
}

QVariant HistoryModel::sortKey(const job::RunRecord& run, int column) const {
    const auto number = [](const std::optional<double>& value) {
        return value ? QVariant(*value) : QVariant();
    };
    switch (column) {
    case Started:
        return run.created;
    case Duration:
        return number(secondsOf(run));
    case Ranks:
        return run.plan.worldSize;
    case Steps:
        return run.steps;
    case FirstLoss:
        return number(run.firstLoss);
    case LastLoss:
        return number(run.lastLoss);
    default:
        return text(run, column);
    }
}

QString HistoryModel::toolTip(const job::RunRecord& run, int column) const {
    if (column == State && run.failure)
        return run.failure->headline;
    if (column == State && !run.errors.isEmpty())
        return run.errors.first().text();
    if (column == Name)
        return run.id;
    if (column == Started)
        return format::instant(run.created);
    if (column == Duration && run.ended.isValid())
        return tr("Ended %1").arg(format::instant(run.ended));
    if (column == Nodes) {
        QStringList names;
        for (const auto& node : run.plan.nodes)
            names.append(nodefacts::displayName(node.host));
        return names.join(QLatin1Char('\n'));
    }
    return text(run, column);
}

} // namespace coxswain::ui
