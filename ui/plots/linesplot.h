// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plots/plotpanel.h"
#include "ui/plots/quantity.h"

class QComboBox;
class QLabel;

namespace coxswain::ui {

/// What a LinesPlot can show.
struct LinesMetric {
    QString title;
    Quantity quantity = Quantity::Plain;
    QString perRank; ///< metric with a line for each rank; may be empty
    QString shared;  ///< metric that is the same on all ranks, drawn once, bold; may be empty
    QString sharedLabel;
    /// The value is perRank or shared in tokens, divided by the step's time: tokens per second.
    bool perSecond = false;
    bool fromZero = false;
};

/// Lines of one metric; where there are several metrics, a box chooses. Metrics of which no rank has a value
/// are not offered.
class LinesPlot : public PlotPanel {
    Q_OBJECT
public:
    LinesPlot(const QString& name, const QList<LinesMetric>& metrics, PlotGroup& group, const Theme& theme,
              QWidget* parent = nullptr);

protected:
    void rebuild() override;
    QList<ReadoutEntry> valuesAt(double step) const override;
    void recolour() override;

private:
    struct Line {
        int rank = -1; ///< -1: shared
        QString label;
        QList<core::Bin> bins;
        QCPGraph* graph = nullptr;
    };
    const LinesMetric& metric() const;
    void offerMetrics();
    void showTitle();
    QList<core::Bin> binsOf(int rank, const QString& name) const;
    void addLine(int rank, const QString& label, const QString& name, int* used);

    QList<LinesMetric> m_metrics;
    QLabel* m_title;
    QComboBox* m_choice;
    QStringList m_offered; ///< to see when the store has new metrics
    QList<Line> m_lines;
    QList<QCPGraph*> m_graphs; ///< reused from one rebuild to the next
    QCPGraph* m_nonFinite;     ///< crosses at the bottom where a value was NaN or infinite
};

} // namespace coxswain::ui
