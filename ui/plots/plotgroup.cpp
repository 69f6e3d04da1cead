// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plotgroup.h"

#include <algorithm>

namespace coxswain::ui {
namespace {

/// A view of fewer steps shows nothing.
constexpr double narrowest = 4;

template <class... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

PlotMark::Kind kindOf(const std::string& event) {
    if (event == "checkpoint")
        return PlotMark::Kind::Checkpoint;
    if (event == "stop_requested")
        return PlotMark::Kind::Stop;
    return event == "non_finite" ? PlotMark::Kind::NonFinite : PlotMark::Kind::Other;
}

std::optional<PlotMark> markOf(const core::StoredEvent& event) {
    return std::visit(Overloaded{[](const wire::EventLine& line) -> std::optional<PlotMark> {
                                     return PlotMark{double(line.step), kindOf(line.event),
                                                     QString::fromStdString(
                                                         line.message.empty() ? line.event : line.message)};
                                 },
                                 [](const wire::ErrorLine& line) -> std::optional<PlotMark> {
                                     return PlotMark{double(line.step), PlotMark::Kind::Error,
                                                     QString::fromStdString(line.message)};
                                 },
                                 [](const auto&) -> std::optional<PlotMark> { return std::nullopt; }},
                      event.body);
}

} // namespace

QString PlotRank::label() const {
    return QStringLiteral("%1 · %2").arg(node).arg(rank);
}

PlotGroup::PlotGroup(QObject* parent) : QObject(parent) {}

void PlotGroup::setStore(const core::MetricsStore* store, const QList<PlotRank>& ranks) {
    m_store = store;
    m_ranks = ranks;
    m_hidden.clear();
    m_marks.clear();
    m_full.reset();
    m_cursor.reset();
    m_all = true;
    m_from = 0;
    m_to = 1;
    m_revision = 0;
    changeFollows(true);
    emit ranksChanged();
    if (store) {
        m_revision = store->revision();
        readExtent();
        readMarks();
        fit();
    }
    emit changed();
}

void PlotGroup::poll() {
    if (!m_store || m_store->revision() == m_revision)
        return;
    m_revision = m_store->revision();
    readExtent();
    readMarks();
    fit();
    emit changed();
}

void PlotGroup::readExtent() {
    m_full.reset();
    for (const PlotRank& rank : m_ranks) {
        const auto extent = m_store->extent({core::SeriesId::Source::Rank, rank.rank, QStringLiteral("loss")},
                                            core::Axis::Step);
        if (!extent)
            continue;
        if (!m_full)
            m_full = extent;
        m_full->first = std::min(m_full->first, extent->first);
        m_full->second = std::max(m_full->second, extent->second);
    }
}

void PlotGroup::readMarks() {
    m_marks.clear();
    QSet<QString> seen;
    for (const core::StoredEvent& event : m_store->events()) {
        const auto mark = markOf(event);
        if (!mark)
            continue;
        // All ranks report a stop or a checkpoint at the same step: one mark is enough.
        const QString key = QStringLiteral("%1/%2").arg(int(mark->kind)).arg(mark->step);
        if (!seen.contains(key))
            m_marks.append(*mark);
        seen.insert(key);
    }
}

/// Moves the view after the data.
void PlotGroup::fit() {
    if (!m_full)
        return;
    const auto [first, last] = *m_full;
    if (m_all) {
        m_from = first;
        m_to = std::max(last, first + narrowest);
    } else if (m_follows && last > m_to) {
        m_from += last - m_to;
        m_to = last;
    }
}

QList<PlotRank> PlotGroup::visibleRanks() const {
    QList<PlotRank> visible;
    for (const PlotRank& rank : m_ranks)
        if (isVisible(rank.rank))
            visible.append(rank);
    return visible;
}

void PlotGroup::setVisible(int rank, bool visible) {
    if (visible == isVisible(rank))
        return;
    if (visible)
        m_hidden.remove(rank);
    else
        m_hidden.insert(rank);
    emit changed();
}

void PlotGroup::setRange(double from, double to) {
    if (!m_full)
        return;
    const auto [first, last] = *m_full;
    const double end = std::max(last, first + narrowest);
    const double width = std::clamp(to - from, narrowest, end - first);
    m_from = std::clamp((from + to - width) / 2, first, end - width);
    m_to = m_from + width;
    m_all = width >= end - first;
    changeFollows(m_to >= last);
    emit changed();
}

void PlotGroup::zoom(double factor, double at) {
    setRange(at - (at - m_from) * factor, at + (m_to - at) * factor);
}

void PlotGroup::pan(double fraction) {
    const double shift = (m_to - m_from) * fraction;
    setRange(m_from + shift, m_to + shift);
}

void PlotGroup::showAll() {
    m_all = true;
    changeFollows(true);
    fit();
    emit changed();
}

void PlotGroup::setFollows(bool follows) {
    if (follows == m_follows)
        return;
    if (!follows)
        m_all = false;
    changeFollows(follows);
    if (follows && m_full)
        setRange(m_full->second - (m_to - m_from), m_full->second);
}

void PlotGroup::changeFollows(bool follows) {
    if (follows == m_follows)
        return;
    m_follows = follows;
    emit followsChanged(follows);
}

void PlotGroup::setCursor(std::optional<double> step) {
    if (step == m_cursor)
        return;
    m_cursor = step;
    emit cursorChanged();
}

} // namespace coxswain::ui
