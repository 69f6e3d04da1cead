// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icons.h"

#include <QGuiApplication>
#include <QPainter>
#include <QPainterPath>

#include <cmath>
#include <numbers>

namespace coxswain::ui::icons {
namespace {

/// A transparent pixmap for the screen with the most pixels per point.
QPixmap canvas(int width, int height) {
    const qreal ratio = qGuiApp->devicePixelRatio();
    QPixmap pixmap(QSize(int(width * ratio), int(height * ratio)));
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    return pixmap;
}

QPen outline(const QColor& colour, double width) {
    return QPen(colour, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
}

/// In a square of 16 × 16.
void drawSeverity(QPainter& p, core::Severity severity, const QColor& colour) {
    p.setPen(outline(colour, 1.6));
    switch (severity) {
    case core::Severity::Ok:
        p.setPen(outline(colour, 2.2));
        p.drawPolyline(QPolygonF({{3.2, 8.6}, {6.6, 12}, {13, 4.4}}));
        break;
    case core::Severity::Info:
        p.drawEllipse(QPointF(8, 8), 6, 6);
        p.drawLine(QPointF(8, 7.4), QPointF(8, 11));
        p.drawPoint(QPointF(8, 4.9));
        break;
    case core::Severity::Warning:
        p.drawPolygon(QPolygonF({{8, 2}, {14.6, 13.6}, {1.4, 13.6}}));
        p.drawLine(QPointF(8, 6.4), QPointF(8, 9.4));
        p.drawPoint(QPointF(8, 11.6));
        break;
    case core::Severity::Error: {
        QPolygonF octagon;
        for (int corner = 0; corner < 8; ++corner) {
            const double angle = (corner + 0.5) * std::numbers::pi / 4;
            octagon.append(QPointF(8 + 7 * std::cos(angle), 8 + 7 * std::sin(angle)));
        }
        p.setBrush(colour);
        p.drawPolygon(octagon);
        p.setPen(outline(colour.lightness() > 140 ? Qt::black : Qt::white, 1.8));
        p.drawLine(QPointF(5.6, 5.6), QPointF(10.4, 10.4));
        p.drawLine(QPointF(10.4, 5.6), QPointF(5.6, 10.4));
        break;
    }
    case core::Severity::Unknown:
        p.setPen(QPen(colour, 1.2, Qt::DotLine));
        p.drawEllipse(QPointF(8, 8), 6.4, 6.4);
        p.setPen(outline(colour, 1.6));
        p.drawArc(QRectF(5.8, 4.2, 4.4, 4.4), -80 * 16, 260 * 16);
        p.drawPoint(QPointF(8, 11.6));
        break;
    }
}

/// In a square of 20 × 20.
void drawPage(QPainter& p, Page page, const QColor& colour) {
    p.setPen(outline(colour, 1.7));
    switch (page) {
    case Page::Nodes:
        for (const double top : {2.5, 8.0, 13.5}) {
            p.drawRoundedRect(QRectF(2.5, top, 15, 4), 1.2, 1.2);
            p.drawPoint(QPointF(5.5, top + 2));
        }
        break;
    case Page::Job:
        p.drawRoundedRect(QRectF(4, 2.5, 12, 15), 1.5, 1.5);
        for (const double y : {6.5, 10.0, 13.5})
            p.drawLine(QPointF(7, y), QPointF(13, y));
        break;
    case Page::Run:
        p.drawPolyline(QPolygonF({{2.5, 2.5}, {2.5, 17.5}, {17.5, 17.5}}));
        p.drawPolyline(QPolygonF({{5, 5}, {8, 10.5}, {11, 9.5}, {13.5, 13.2}, {17, 14}}));
        break;
    case Page::History:
        p.drawEllipse(QPointF(10, 10), 7.5, 7.5);
        p.drawPolyline(QPolygonF({{10, 5.5}, {10, 10.3}, {13, 12.2}}));
        break;
    }
}

} // namespace

QPixmap severity(core::Severity severity, const QColor& colour, int size) {
    QPixmap pixmap = canvas(size, size);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(size / 16.0, size / 16.0);
    drawSeverity(painter, severity, colour);
    return pixmap;
}

QIcon severityIcon(core::Severity which, const QColor& colour) {
    const QPixmap pixmap = severity(which, colour);
    QIcon icon(pixmap);
    icon.addPixmap(pixmap, QIcon::Selected);
    return icon;
}

QIcon page(Page page, const QColor& colour, const QColor& checkedColour) {
    QIcon icon;
    for (const auto state : {QIcon::Off, QIcon::On}) {
        QPixmap pixmap = canvas(20, 20);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        drawPage(painter, page, state == QIcon::On ? checkedColour : colour);
        painter.end();
        icon.addPixmap(pixmap, QIcon::Normal, state);
    }
    return icon;
}

QPixmap line(const QColor& colour, Qt::PenStyle style, int width, int height) {
    QPixmap pixmap = canvas(width, height);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 2, style, Qt::FlatCap));
    painter.drawLine(QPointF(0, height / 2.0), QPointF(width, height / 2.0));
    return pixmap;
}

} // namespace coxswain::ui::icons
