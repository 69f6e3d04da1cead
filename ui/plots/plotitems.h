// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plots/plotgroup.h"
#include "ui/theme.h"

#include <qcustomplot.h>

namespace coxswain::ui {

/// Vertical lines where something happened, with a symbol at the top: a shape of its own for each kind.
class MarksItem : public QCPAbstractItem {
    Q_OBJECT
public:
    MarksItem(QCustomPlot* plot, const PlotGroup& group, const Theme& theme);

    /// The mark under a pixel, for the tool tip; nullptr where there is none.
    const PlotMark* markAt(double pixelX) const;
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override;

private:
    const PlotGroup& m_group;
    const Theme& m_theme;
};

/// One line of a read-out.
struct ReadoutEntry {
    QString label;
    QString value;
    QColor colour;
    Qt::PenStyle style = Qt::SolidLine;
    bool filled = false; ///< the swatch is a square, as for a stacked part
};

/// The cursor's line, and a box with the values there, on the side of the cursor where there is room.
class ReadoutItem : public QCPAbstractItem {
    Q_OBJECT
public:
    ReadoutItem(QCustomPlot* plot, const Theme& theme);

    /// nothing: the cursor is nowhere.
    void set(std::optional<double> step, const QString& title, const QList<ReadoutEntry>& entries);
    const QList<ReadoutEntry>& entries() const { return m_entries; }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override;

private:
    const Theme& m_theme;
    std::optional<double> m_step;
    QString m_title;
    QList<ReadoutEntry> m_entries;
};

} // namespace coxswain::ui
