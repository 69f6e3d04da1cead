// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plots/plotitems.h"

#include <QWidget>

class QHBoxLayout;

namespace coxswain::ui {

/// One plot of a group, over steps. Drag zooms, the wheel zooms at the cursor, Shift+wheel and the arrow keys
/// move, double-click and Home return to the whole run. A panel draws only while it is visible.
class PlotPanel : public QWidget {
    Q_OBJECT
public:
    PlotPanel(PlotGroup& group, const Theme& theme, QWidget* parent = nullptr);

    QCustomPlot& plot() { return *m_plot; }
    const QList<ReadoutEntry>& readout() const { return m_readout->entries(); }
    /// Columns of pixels: no line has more points.
    int columns() const;
    /// Asks the store again and draws.
    void refresh();

protected:
    /// Fills the plot's graphs for the group's range, and sets the value axis.
    virtual void rebuild() = 0;
    /// The values at a step, from what rebuild() got.
    virtual QList<ReadoutEntry> valuesAt(double step) const = 0;
    /// Colours of graphs; the axes are done.
    virtual void recolour() = 0;

    PlotGroup& group() const { return m_group; }
    const Theme& theme() const { return m_theme; }
    QHBoxLayout& header() { return *m_header; }
    /// Sets the value axis to [low, high] with some air; from 0 where `fromZero`.
    void setValueRange(double low, double high, bool fromZero);

    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setUpPlot();
    void applyTheme();
    void moveCursor();
    bool onKey(int key);
    void onWheel(QWheelEvent& event);
    QString toolTipAt(const QPoint& position) const;

    PlotGroup& m_group;
    const Theme& m_theme;
    QHBoxLayout* m_header;
    QCustomPlot* m_plot;
    MarksItem* m_marks;
    ReadoutItem* m_readout;
    bool m_updating = false;
};

} // namespace coxswain::ui
