// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plotitems.h"

#include <cmath>

namespace coxswain::ui {
namespace {

/// Marks nearer than that share one symbol.
constexpr double markSpacing = 9;
/// Lines of a read-out before "and N more".
constexpr int mostEntries = 9;

QColor colourOf(PlotMark::Kind kind, const Colours& c) {
    switch (kind) {
    case PlotMark::Kind::Checkpoint:
        return c.ok;
    case PlotMark::Kind::Stop:
    case PlotMark::Kind::Restart:
        return c.warning;
    case PlotMark::Kind::Error:
    case PlotMark::Kind::NonFinite:
        return c.error;
    case PlotMark::Kind::Other:
        break;
    }
    return c.info;
}

/// Around (x, y), about 7 pixels wide.
void drawSymbol(QCPPainter& p, PlotMark::Kind kind, double x, double y) {
    switch (kind) {
    case PlotMark::Kind::Checkpoint: // a flag
        p.drawPolygon(QPolygonF({{x, y - 3.5}, {x + 6.5, y - 0.5}, {x, y + 2.5}}));
        break;
    case PlotMark::Kind::Stop: // a square
        p.drawRect(QRectF(x - 3, y - 3, 6, 6));
        break;
    case PlotMark::Kind::Error: // a cross
    case PlotMark::Kind::NonFinite:
        p.drawLine(QPointF(x - 3, y - 3), QPointF(x + 3, y + 3));
        p.drawLine(QPointF(x + 3, y - 3), QPointF(x - 3, y + 3));
        break;
    case PlotMark::Kind::Restart: // a triangle
        p.drawPolygon(QPolygonF({{x, y - 3.5}, {x + 3.5, y + 3}, {x - 3.5, y + 3}}));
        break;
    case PlotMark::Kind::Other: // a circle
        p.drawEllipse(QPointF(x, y), 3, 3);
        break;
    }
}

} // namespace

MarksItem::MarksItem(QCustomPlot* plot, const PlotGroup& group, const Theme& theme)
    : QCPAbstractItem(plot), m_group(group), m_theme(theme) {
    setSelectable(false);
}

const PlotMark* MarksItem::markAt(double pixelX) const {
    const PlotMark* best = nullptr;
    double nearest = 5;
    for (const PlotMark& mark : m_group.marks()) {
        const double distance = std::abs(mParentPlot->xAxis->coordToPixel(mark.step) - pixelX);
        if (distance < nearest) {
            nearest = distance;
            best = &mark;
        }
    }
    return best;
}

void MarksItem::draw(QCPPainter* painter) {
    const QRect area = mParentPlot->axisRect()->rect();
    double last = -1e9;
    for (const PlotMark& mark : m_group.marks()) {
        const double x = mParentPlot->xAxis->coordToPixel(mark.step);
        if (x < area.left() || x > area.right())
            continue;
        const QColor colour = colourOf(mark.kind, m_theme.colours());
        // At most one mark for each column of pixels; errors always.
        const bool grave = mark.kind == PlotMark::Kind::Error || mark.kind == PlotMark::Kind::NonFinite;
        if (x - last < 1 && x >= last && !grave)
            continue;
        QColor faint = colour;
        faint.setAlpha(grave ? 200 : 110);
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(faint, 1, Qt::DashLine));
        painter->drawLine(QPointF(x, area.top() + 9), QPointF(x, area.bottom()));
        if (grave || std::abs(x - last) >= markSpacing) {
            painter->setPen(QPen(colour, grave ? 1.8 : 1));
            painter->setBrush(colour);
            drawSymbol(*painter, mark.kind, x, area.top() + 4.5);
        }
        last = x;
    }
}

ReadoutItem::ReadoutItem(QCustomPlot* plot, const Theme& theme) : QCPAbstractItem(plot), m_theme(theme) {
    setSelectable(false);
}

void ReadoutItem::set(std::optional<double> step, const QString& title, const QList<ReadoutEntry>& entries) {
    m_step = step;
    m_title = title;
    m_entries = entries;
}

void ReadoutItem::draw(QCPPainter* painter) {
    if (!m_step)
        return;
    const Colours& c = m_theme.colours();
    const QRect area = mParentPlot->axisRect()->rect();
    const double x = mParentPlot->xAxis->coordToPixel(*m_step);
    painter->setAntialiasing(false);
    painter->setPen(QPen(c.muted, 1));
    painter->drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    if (m_entries.isEmpty())
        return;

    const QFontMetrics metrics(painter->font());
    const int lineHeight = metrics.height() + 1;
    const int fits = std::max(1, (area.height() - 8) / lineHeight - 1);
    const int shown = std::min({int(m_entries.size()), mostEntries, fits});
    const bool more = shown < m_entries.size();
    int labelWidth = 0;
    int valueWidth = 0;
    for (int i = 0; i < shown; ++i) {
        labelWidth = std::max(labelWidth, metrics.horizontalAdvance(m_entries[i].label));
        valueWidth = std::max(valueWidth, metrics.horizontalAdvance(m_entries[i].value));
    }
    const QString rest = more ? tr("%1 … %2 more").arg(m_title).arg(m_entries.size() - shown) : m_title;
    const int width = std::max(20 + labelWidth + 8 + valueWidth, metrics.horizontalAdvance(rest)) + 12;
    const int height = lineHeight * (shown + 1) + 6;
    const double beside = x + 8 + width > area.right() ? x - 8 - width : x + 8;
    const QRectF box(std::max(beside, area.left() + 2.0), area.top() + 2, width, height);

    QColor background = c.raised;
    background.setAlpha(235);
    painter->setPen(QPen(c.border, 1));
    painter->setBrush(background);
    painter->drawRect(box);
    painter->setPen(c.muted);
    painter->drawText(QRectF(box.left() + 6, box.top() + 3, width - 12, lineHeight),
                      Qt::AlignLeft | Qt::AlignVCenter, rest);
    for (int i = 0; i < shown; ++i) {
        const ReadoutEntry& entry = m_entries[i];
        const double top = box.top() + 3 + lineHeight * (i + 1);
        const double middle = top + lineHeight / 2.0;
        if (entry.filled) {
            painter->fillRect(QRectF(box.left() + 8, middle - 4, 8, 8), entry.colour);
        } else {
            painter->setPen(QPen(entry.colour, 2, entry.style, Qt::FlatCap));
            painter->drawLine(QPointF(box.left() + 6, middle), QPointF(box.left() + 22, middle));
        }
        painter->setPen(c.text);
        const QRectF line(box.left() + 26, top, width - 32, lineHeight);
        painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, entry.label);
        painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, entry.value);
    }
}

} // namespace coxswain::ui
