// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runpage/eventsmodel.h"

#include "ui/format.h"
#include "ui/nodefacts.h"
#include "ui/runtexts.h"
#include "ui/theme.h"
#include "ui/widgets/icons.h"

#include <algorithm>

namespace coxswain::ui {
namespace {

double seconds(const QDateTime& when) {
    return double(when.toMSecsSinceEpoch()) / 1000;
}

/// Ranks that report the same within that time share a row.
constexpr double togetherSeconds = 30;

} // namespace

EventsModel::EventsModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), m_theme(theme) {
    connect(&theme, &Theme::changed, this, [this] {
        if (!m_rows.isEmpty())
            emit dataChanged(index(0, What), index(int(m_rows.size()) - 1, What), {Qt::DecorationRole});
    });
}

void EventsModel::set(const job::RunSnapshot& snapshot, const QList<core::StoredEvent>& stored) {
    QList<Row> rows;
    addPhases(snapshot, rows);
    for (const auto& event : stored)
        addStored(event, rows);
    const double end = snapshot.record.ended.isValid() ? seconds(snapshot.record.ended) : 1e18;
    for (const auto& error : snapshot.state.errors)
        rows.append({std::min(end, rows.isEmpty() ? end : rows.last().time),
                     core::Severity::Error,
                     {},
                     {},
                     error.text()});
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.time < b.time; });
    const double start = seconds(snapshot.record.created);
    // A running job only ever gets more rows: the view keeps its selection and place.
    const bool grows = start == m_start && rows.size() >= m_rows.size() &&
                       std::equal(m_rows.begin(), m_rows.end(), rows.begin());
    m_plan = snapshot.record.plan;
    if (grows && rows.size() == m_rows.size())
        return;
    if (grows) {
        beginInsertRows({}, int(m_rows.size()), int(rows.size()) - 1);
        m_rows = rows;
        endInsertRows();
        return;
    }
    beginResetModel();
    m_rows = rows;
    m_start = start;
    endResetModel();
}

void EventsModel::clear() {
    beginResetModel();
    m_rows.clear();
    m_start = 0;
    endResetModel();
}

void EventsModel::addPhases(const job::RunSnapshot& snapshot, QList<Row>& rows) const {
    for (const auto& phase : snapshot.phases) {
        if (phase.phase == core::Phase::Idle)
            continue;
        const bool end = phase.phase == core::Phase::Ended;
        rows.append(
            {seconds(phase.began),
             end ? runtexts::stateSeverity(snapshot) : core::Severity::Info,
             {},
             {},
             end ? runtexts::stateText(snapshot) : tr("Phase: %1").arg(runtexts::phaseTitle(phase.phase))});
    }
}

void EventsModel::addStored(const core::StoredEvent& event, QList<Row>& rows) const {
    if (event.source != core::SeriesId::Source::Rank)
        return;
    Row row{event.time, core::Severity::Info, {event.index}, {}, {}};
    if (const auto* start = std::get_if<wire::StartLine>(&event.body)) {
        row.what = event.attempt > 1 ? tr("Started, attempt %1, on %2")
                                           .arg(event.attempt)
                                           .arg(QString::fromStdString(start->device))
                                     : tr("Started on %1").arg(QString::fromStdString(start->device));
    } else if (const auto* line = std::get_if<wire::EventLine>(&event.body)) {
        row.step = line->step;
        const bool odd = line->event == "non_finite";
        row.severity = odd                               ? core::Severity::Error
                       : line->event == "stop_requested" ? core::Severity::Warning
                                                         : core::Severity::Ok;
        row.what = odd                               ? tr("Not a finite number")
                   : line->event == "checkpoint"     ? tr("Checkpoint")
                   : line->event == "stop_requested" ? tr("Stop requested")
                                                     : QString::fromStdString(line->event);
        if (!line->message.empty())
            row.what += QStringLiteral(": ") + QString::fromStdString(line->message);
    } else if (const auto* error = std::get_if<wire::ErrorLine>(&event.body)) {
        row.step = error->step;
        row.severity = core::Severity::Error;
        row.what = QString::fromStdString(error->message);
    } else if (const auto* end = std::get_if<wire::EndLine>(&event.body)) {
        row.step = end->step;
        row.severity = core::Severity::Ok;
        row.what = end->state == "stopped" ? tr("Rank stopped") : tr("Rank finished");
    } else {
        return;
    }
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const Row& other) {
        return !other.ranks.isEmpty() && other.what == row.what && other.step == row.step &&
               std::abs(other.time - row.time) < togetherSeconds;
    });
    if (same == rows.end()) {
        rows.append(row);
    } else if (!same->ranks.contains(event.index)) {
        same->ranks.append(event.index);
        std::sort(same->ranks.begin(), same->ranks.end());
    }
}

QString EventsModel::where(const Row& row) const {
    if (row.ranks.isEmpty())
        return {};
    if (row.ranks.size() > 1)
        return row.ranks.size() == m_plan.worldSize ? tr("all ranks") : tr("%1 ranks").arg(row.ranks.size());
    const int rank = row.ranks.first();
    if (rank < 0 || rank >= m_plan.worldSize)
        return tr("rank %1").arg(rank);
    return tr("rank %1 on %2").arg(rank).arg(nodefacts::displayName(core::nodeOfRank(m_plan, rank).host));
}

std::optional<qint64> EventsModel::step(int row) const {
    return row >= 0 && row < m_rows.size() ? m_rows[row].step : std::nullopt;
}

int EventsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int EventsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EventsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_rows.size())
        return {};
    const Row& row = m_rows[index.row()];
    if (role == Qt::DecorationRole && index.column() == What)
        return icons::severityIcon(row.severity, m_theme.colours().of(row.severity));
    if (role == Qt::ToolTipRole)
        return index.column() == Time
                   ? format::instant(QDateTime::fromMSecsSinceEpoch(qint64(row.time * 1000)))
                   : row.what;
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Time:
        // Nodes' clocks may be a little behind the desktop's.
        return QStringLiteral("+%1").arg(format::duration(std::max(0.0, row.time - m_start)));
    case Where:
        return where(row);
    case Step:
        return row.step ? format::count(*row.step) : QString();
    case What:
        return row.what;
    default:
        return {};
    }
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    switch (section) {
    case Time:
        return tr("After");
    case Where:
        return tr("Where");
    case Step:
        return tr("Step");
    case What:
        return tr("What happened");
    default:
        return {};
    }
}

} // namespace coxswain::ui
