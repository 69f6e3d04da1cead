// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plots/plotpanel.h"

class QComboBox;

namespace coxswain::ui {

/// Where a step's time goes: data, forward, backward, communication wait and optimizer, stacked, for one rank
/// or for the mean of the visible ones. Stacks show means; the thin line above is the longest step of its
/// column of pixels, so that no spike is lost.
class LatencyPlot : public PlotPanel {
    Q_OBJECT
public:
    LatencyPlot(PlotGroup& group, const Theme& theme, QWidget* parent = nullptr);

protected:
    void rebuild() override;
    QList<ReadoutEntry> valuesAt(double step) const override;
    void recolour() override;

private:
    void offerRanks();
    QList<int> chosenRanks() const;
    void placeLabels();

    QComboBox* m_choice;
    QList<QCPGraph*> m_parts; ///< cumulative, the lowest first
    QCPGraph* m_longest;
    QList<QCPItemText*> m_labels;   ///< inside the bands, where there is room
    QList<QVector<double>> m_means; ///< by part and column
    QVector<double> m_stepTimes;    ///< mean of the whole step by column
};

} // namespace coxswain::ui
