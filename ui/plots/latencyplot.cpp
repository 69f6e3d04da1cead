// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/latencyplot.h"

#include "ui/format.h"
#include "ui/plots/points.h"
#include "ui/plots/quantity.h"
#include "ui/plots/serieslook.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>

#include <cmath>

namespace coxswain::ui {
namespace {

struct Part {
    const char* metric;
    const char* title;
};
constexpr Part parts[] = {
    {"milliseconds.data", QT_TRANSLATE_NOOP("coxswain::ui::LatencyPlot", "data")},
    {"milliseconds.forward", QT_TRANSLATE_NOOP("coxswain::ui::LatencyPlot", "forward")},
    {"milliseconds.backward", QT_TRANSLATE_NOOP("coxswain::ui::LatencyPlot", "backward")},
    {"milliseconds.communication_wait", QT_TRANSLATE_NOOP("coxswain::ui::LatencyPlot", "communication wait")},
    {"milliseconds.optimizer", QT_TRANSLATE_NOOP("coxswain::ui::LatencyPlot", "optimizer")},
};
constexpr int partCount = int(std::size(parts));
constexpr int meanOfRanks = -1;

} // namespace

LatencyPlot::LatencyPlot(PlotGroup& group, const Theme& theme, QWidget* parent)
    : PlotPanel(group, theme, parent), m_choice(new QComboBox) {
    setObjectName(QStringLiteral("latencyPlot"));
    plot().setObjectName(QStringLiteral("latencyPlotCanvas"));
    plot().setAccessibleName(tr("Step time by part"));
    auto* title = new QLabel(tr("Step time, ms"));
    m_choice->setObjectName(QStringLiteral("latencyRank"));
    m_choice->setAccessibleName(tr("Rank whose step time is shown"));
    m_choice->setToolTip(m_choice->accessibleName());
    m_choice->setFrame(false);
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    header().addWidget(title);
    header().addWidget(m_choice);
    header().addStretch();
    for (int part = 0; part < partCount; ++part) {
        m_parts.append(plot().addGraph());
        if (part > 0)
            m_parts[part]->setChannelFillGraph(m_parts[part - 1]);
        auto* label = new QCPItemText(&plot());
        label->setText(tr(parts[part].title));
        label->setPositionAlignment(Qt::AlignRight | Qt::AlignVCenter);
        label->setSelectable(false);
        m_labels.append(label);
    }
    m_longest = plot().addGraph();
    plot().yAxis->setTicker(QSharedPointer<QuantityTicker>::create(Quantity::Milliseconds));
    connect(m_choice, &QComboBox::currentIndexChanged, this, [this] { refresh(); });
    connect(&group, &PlotGroup::ranksChanged, this, &LatencyPlot::offerRanks);
    offerRanks();
    recolour();
}

void LatencyPlot::offerRanks() {
    const QSignalBlocker blocker(m_choice);
    m_choice->clear();
    m_choice->addItem(tr("mean of ranks"), meanOfRanks);
    for (const PlotRank& rank : group().ranks())
        m_choice->addItem(rank.label(), rank.rank);
    m_choice->setEnabled(group().ranks().size() > 1);
}

QList<int> LatencyPlot::chosenRanks() const {
    const int chosen = m_choice->currentData().toInt();
    if (chosen != meanOfRanks)
        return {chosen};
    QList<int> ranks;
    for (const PlotRank& rank : group().visibleRanks())
        ranks.append(rank.rank);
    return ranks;
}

void LatencyPlot::rebuild() {
    const int count = columns();
    const double from = group().from();
    const double to = group().to();
    const auto binsOf = [&](const char* metric, int most) {
        QList<QList<core::Bin>> sources;
        if (group().store())
            for (const int rank : chosenRanks())
                sources.append(
                    group().store()->bins({core::SeriesId::Source::Rank, rank, QString::fromLatin1(metric)},
                                          core::Axis::Step, from, to, most));
        return sources;
    };
    m_means.clear();
    for (const Part& part : parts)
        m_means.append(columnMeans(binsOf(part.metric, count), from, to, count));
    const auto totals = binsOf("milliseconds.total", count);
    m_stepTimes = columnMeans(totals, from, to, count);

    QVector<double> x;
    QList<QVector<double>> stacks(partCount);
    QVector<double> longest(count, std::nan(""));
    for (const auto& bins : totals)
        for (const core::Bin& bin : bins) {
            const int column =
                std::clamp(int(((bin.first + bin.last) / 2 - from) / (to - from) * count), 0, count - 1);
            longest[column] = std::fmax(longest[column], bin.maximum);
        }
    QVector<double> spikes;
    double high = 0;
    const double width = (to - from) / count;
    for (int column = 0; column < count; ++column) {
        if (std::isnan(m_stepTimes[column]))
            continue; // a step wider than a pixel leaves columns empty between its samples
        const double at = from + (column + 0.5) * width;
        // Where steps are missing the stack breaks; at least one column is empty there.
        if (!x.isEmpty() && at - x.last() > 1 + 2 * width) {
            x.append(at - width);
            for (auto& stack : stacks)
                stack.append(std::nan(""));
            spikes.append(std::nan(""));
        }
        x.append(at);
        double sum = 0;
        for (int part = 0; part < partCount; ++part) {
            const double value = m_means[part][column];
            sum += std::isnan(value) ? 0 : value;
            stacks[part].append(sum);
        }
        spikes.append(longest[column]);
        high = std::fmax(high, std::fmax(sum, longest[column]));
    }
    for (int part = 0; part < partCount; ++part)
        m_parts[part]->setData(x, stacks[part], true);
    m_longest->setData(x, spikes, true);
    setValueRange(0, high > 0 ? high : 1, true);
    placeLabels();
}

void LatencyPlot::placeLabels() {
    const auto points = m_parts[0]->data();
    for (int part = 0; part < partCount; ++part) {
        m_labels[part]->setVisible(false);
        if (points->isEmpty())
            continue;
        // The newest column stands for the band.
        const qsizetype last = points->size() - 1;
        const double top = m_parts[part]->data()->at(last)->value;
        const double bottom = part > 0 ? m_parts[part - 1]->data()->at(last)->value : 0;
        const double pixels = plot().yAxis->coordToPixel(bottom) - plot().yAxis->coordToPixel(top);
        if (pixels < plot().fontMetrics().height() + 2)
            continue;
        m_labels[part]->position->setType(QCPItemPosition::ptPlotCoords);
        m_labels[part]->position->setCoords(plot().xAxis->pixelToCoord(plot().axisRect()->right() - 4),
                                            (top + bottom) / 2);
        m_labels[part]->setVisible(true);
    }
}

void LatencyPlot::recolour() {
    const Colours& c = theme().colours();
    for (int part = 0; part < partCount; ++part) {
        const QColor colour = colourOfPart(part, c);
        QColor fill = colour;
        fill.setAlpha(c.dark ? 150 : 170);
        m_parts[part]->setPen(QPen(colour, 1));
        m_parts[part]->setBrush(fill);
        m_labels[part]->setColor(c.text);
        m_labels[part]->setFont(plot().font());
    }
    m_longest->setPen(QPen(c.muted, 1, Qt::DotLine));
}

QList<ReadoutEntry> LatencyPlot::valuesAt(double step) const {
    const double from = group().from();
    const double to = group().to();
    const int count = int(m_stepTimes.size());
    if (count == 0 || step < from || step > to)
        return {};
    // The nearest column with a sample, at most half a step away.
    const auto columnOf = [&](double x) {
        return std::clamp(int((x - from) / (to - from) * count), 0, count - 1);
    };
    int column = columnOf(step);
    for (int other = columnOf(step - 0.5); std::isnan(m_stepTimes[column]) && other <= columnOf(step + 0.5);
         ++other)
        column = other;
    if (std::isnan(m_stepTimes[column]))
        return {};
    QList<ReadoutEntry> entries;
    entries.append({tr("whole step"), format::duration(m_stepTimes[column] / 1000), theme().colours().muted,
                    Qt::DotLine});
    for (int part = partCount - 1; part >= 0; --part) {
        const double value = m_means[part][column];
        entries.append({tr(parts[part].title),
                        std::isnan(value) ? QStringLiteral("–") : format::duration(value / 1000),
                        colourOfPart(part, theme().colours()), Qt::SolidLine, true});
    }
    return entries;
}

} // namespace coxswain::ui
