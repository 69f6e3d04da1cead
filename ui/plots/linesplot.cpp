// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/linesplot.h"

#include "ui/plots/points.h"
#include "ui/plots/serieslook.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>

#include <cmath>

namespace coxswain::ui {
namespace {

const QString stepTime = QStringLiteral("milliseconds.total");

/// Tokens of a step over its milliseconds, bin by bin: both come from the same lines.
QList<core::Bin> perSecond(QList<core::Bin> tokens, const QList<core::Bin>& times) {
    QList<core::Bin> rates;
    qsizetype at = 0;
    for (core::Bin bin : tokens) {
        while (at < times.size() && times[at].last < bin.first)
            ++at;
        if (at == times.size() || times[at].first > bin.last || !(times[at].mean > 0))
            continue;
        const core::Bin& time = times[at];
        bin.mean = bin.mean * 1000 / time.mean;
        bin.maximum = bin.maximum * 1000 / time.minimum;
        bin.minimum = bin.minimum * 1000 / time.maximum;
        rates.append(bin);
    }
    return rates;
}

QString textOf(const core::Bin& bin, Quantity quantity) {
    if (std::isnan(bin.minimum))
        return bin.nonFinite ? QStringLiteral("NaN") : QStringLiteral("–");
    if (bin.count == 1 || bin.minimum == bin.maximum)
        return quantityText(quantity, bin.mean);
    const QString low = quantityText(quantity, bin.minimum);
    const QString high = quantityText(quantity, bin.maximum);
    return low == high ? low : QStringLiteral("%1 … %2").arg(low, high);
}

} // namespace

LinesPlot::LinesPlot(const QString& name, const QList<LinesMetric>& metrics, PlotGroup& group,
                     const Theme& theme, QWidget* parent)
    : PlotPanel(group, theme, parent), m_metrics(metrics), m_title(new QLabel), m_choice(new QComboBox),
      m_nonFinite(plot().addGraph()) {
    setObjectName(name);
    plot().setObjectName(name + QStringLiteral("Canvas"));
    plot().setAccessibleName(metrics[0].title);
    m_choice->setObjectName(name + QStringLiteral("Metric"));
    m_choice->setAccessibleName(tr("What this plot shows"));
    m_choice->setToolTip(m_choice->accessibleName());
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_choice->setFrame(false);
    header().addWidget(m_title);
    header().addWidget(m_choice);
    header().addStretch();
    m_nonFinite->setLineStyle(QCPGraph::lsNone);
    m_choice->addItem(metrics[0].title, 0);
    showTitle();
    connect(m_choice, &QComboBox::currentIndexChanged, this, [this] { refresh(); });
    recolour();
}

/// A box that offers nothing to choose is only a title.
void LinesPlot::showTitle() {
    m_title->setText(metric().title);
    m_title->setVisible(m_choice->count() < 2);
    m_choice->setVisible(m_choice->count() > 1);
}

const LinesMetric& LinesPlot::metric() const {
    return m_metrics[std::max(0, m_choice->currentData().toInt())];
}

void LinesPlot::offerMetrics() {
    QStringList present;
    for (const PlotRank& rank : group().ranks())
        for (const QString& name : group().store()->metrics(core::SeriesId::Source::Rank, rank.rank))
            if (!present.contains(name))
                present.append(name);
    if (present == m_offered)
        return;
    m_offered = present;
    const int chosen = m_choice->currentData().toInt();
    const QSignalBlocker blocker(m_choice);
    m_choice->clear();
    for (int i = 0; i < m_metrics.size(); ++i) {
        const LinesMetric& one = m_metrics[i];
        if (i == 0 || present.contains(one.perRank) || present.contains(one.shared))
            m_choice->addItem(one.title, i);
    }
    m_choice->setCurrentIndex(std::max(0, m_choice->findData(chosen)));
    showTitle();
}

QList<core::Bin> LinesPlot::binsOf(int rank, const QString& name) const {
    const auto ask = [&](const QString& which) {
        // Half of the columns: a bin is drawn as its minimum and its maximum.
        return group().store()->bins({core::SeriesId::Source::Rank, rank, which}, core::Axis::Step,
                                     group().from(), group().to(), columns() / 2);
    };
    return metric().perSecond ? perSecond(ask(name), ask(stepTime)) : ask(name);
}

void LinesPlot::addLine(int rank, const QString& label, const QString& name, int* used) {
    if (*used == m_graphs.size())
        m_graphs.append(plot().addGraph());
    int source = rank;
    if (rank < 0) {
        // The same on all ranks: any that has written will do.
        source = group().ranks().constFirst().rank;
        for (const PlotRank& one : group().ranks())
            if (group().store()->sampleCount(core::SeriesId::Source::Rank, one.rank) > 0) {
                source = one.rank;
                break;
            }
    }
    Line line{rank, label, binsOf(source, name), m_graphs[*used]};
    ++*used;
    m_lines.append(line);
}

void LinesPlot::rebuild() {
    m_lines.clear();
    int used = 0;
    m_nonFinite->data()->clear();
    if (group().store() && !group().ranks().isEmpty()) {
        offerMetrics();
        if (!metric().perRank.isEmpty())
            for (const PlotRank& rank : group().visibleRanks())
                addLine(rank.rank, rank.label(), metric().perRank, &used);
        if (!metric().shared.isEmpty())
            addLine(-1, metric().sharedLabel, metric().shared, &used);
    }
    std::optional<std::pair<double, double>> range;
    QVector<double> odd;
    for (const Line& line : m_lines) {
        const LinePoints points = linePoints(line.bins, columns());
        line.graph->setData(points.x, points.y, true);
        odd += points.nonFinite;
        if (const auto own = valueRange(line.bins))
            range = range
                        ? std::pair(std::min(range->first, own->first), std::max(range->second, own->second))
                        : *own;
    }
    for (qsizetype i = used; i < m_graphs.size(); ++i)
        m_graphs[i]->data()->clear();
    plot().yAxis->setTicker(QSharedPointer<QuantityTicker>::create(metric().quantity));
    setValueRange(range ? range->first : 0, range ? range->second : 1, metric().fromZero);
    // Several ranks at the same step make one cross.
    std::sort(odd.begin(), odd.end());
    odd.erase(std::unique(odd.begin(), odd.end()), odd.end());
    while (odd.size() > columns()) {
        QVector<double> fewer;
        for (qsizetype i = 0; i < odd.size(); i += 2)
            fewer.append(odd[i]);
        odd = fewer;
    }
    const QCPRange shown = plot().yAxis->range();
    m_nonFinite->setData(odd, QVector<double>(odd.size(), shown.lower + shown.size() * 0.04), true);
    recolour();
}

void LinesPlot::recolour() {
    const Colours& c = theme().colours();
    const double width = m_lines.size() > 8 ? 1 : 1.4;
    for (const Line& line : m_lines) {
        const SeriesLook look = line.rank < 0 ? SeriesLook{c.text, Qt::SolidLine} : lookOfRank(line.rank, c);
        line.graph->setPen(QPen(look.colour, line.rank < 0 ? 2 : width, look.style));
    }
    m_nonFinite->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCross, QPen(c.error, 1.6), Qt::NoBrush, 7));
}

QList<ReadoutEntry> LinesPlot::valuesAt(double step) const {
    QList<ReadoutEntry> entries;
    const Colours& c = theme().colours();
    for (auto line = m_lines.rbegin(); line != m_lines.rend(); ++line) {
        if (line->rank >= 0)
            continue;
        const core::Bin* bin = binAt(line->bins, step);
        entries.append({line->label, bin ? textOf(*bin, metric().quantity) : QStringLiteral("–"), c.text});
    }
    for (const Line& line : m_lines) {
        if (line.rank < 0)
            continue;
        const core::Bin* bin = binAt(line.bins, step);
        const SeriesLook look = lookOfRank(line.rank, c);
        entries.append({line.label, bin ? textOf(*bin, metric().quantity) : QStringLiteral("–"), look.colour,
                        look.style});
    }
    return entries;
}

} // namespace coxswain::ui
