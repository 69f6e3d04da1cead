// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plotpanel.h"

#include "ui/format.h"

#include <QHBoxLayout>
#include <QHelpEvent>
#include <QToolTip>
#include <QVBoxLayout>

#include <cmath>

namespace coxswain::ui {
namespace {

/// Steps are whole.
class StepTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange& range) override {
        return std::max(1.0, QCPAxisTicker::getTickStep(range));
    }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return tick < 1e5 ? QString::number(std::llround(tick)) : format::shortCount(tick);
    }
};

/// For "100 MiB" and a little air.
constexpr int leftMargin = 62;

constexpr int headerHeight = 26;

const QString cursorLayer = QStringLiteral("cursor");

} // namespace

PlotPanel::PlotPanel(PlotGroup& group, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_group(group), m_theme(theme), m_header(new QHBoxLayout), m_plot(new QCustomPlot) {
    auto* top = new QWidget;
    top->setFixedHeight(headerHeight); // plots side by side stand at the same height
    top->setLayout(m_header);
    m_header->setContentsMargins(4, 0, 4, 0);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(top);
    column->addWidget(m_plot, 1);
    setUpPlot();
    m_marks = new MarksItem(m_plot, group, theme);
    m_readout = new ReadoutItem(m_plot, theme);
    m_readout->setLayer(cursorLayer);
    connect(&group, &PlotGroup::changed, this, [this] {
        if (isVisible())
            refresh();
    });
    connect(&group, &PlotGroup::cursorChanged, this, &PlotPanel::moveCursor);
    connect(&theme, &Theme::changed, this, [this] {
        applyTheme();
        recolour();
        m_plot->replot(QCustomPlot::rpQueuedReplot);
    });
    applyTheme();
}

void PlotPanel::setUpPlot() {
    // The cursor moves with the mouse: on a layer of its own the curves are not drawn again for it.
    m_plot->addLayer(cursorLayer);
    m_plot->layer(cursorLayer)->setMode(QCPLayer::lmBuffered);
    m_plot->setMinimumHeight(90);
    m_plot->setFocusPolicy(Qt::StrongFocus);
    m_plot->setNotAntialiasedElements(QCP::aeAxes | QCP::aeGrid | QCP::aeSubGrid | QCP::aeFills);
    m_plot->setNoAntialiasingOnDrag(true);
    m_plot->xAxis->setTicker(QSharedPointer<StepTicker>::create());
    auto* area = m_plot->axisRect();
    // The same left margin in all panels, so that one above the other has its steps at the same place.
    area->setAutoMargins(QCP::msTop | QCP::msRight | QCP::msBottom);
    area->setMargins(QMargins(leftMargin, 0, 0, 0));
    area->setMinimumMargins(QMargins(leftMargin, 4, 10, 4));
    area->setRangeZoomAxes(m_plot->xAxis, nullptr);
    m_plot->setSelectionRectMode(QCP::srmZoom);
    m_plot->installEventFilter(this);
    connect(m_plot->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
            [this](const QCPRange& range) {
                if (!m_updating)
                    m_group.setRange(range.lower, range.upper);
            });
}

void PlotPanel::applyTheme() {
    const Colours& c = m_theme.colours();
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.88);
    m_plot->setFont(small);
    m_plot->setBackground(c.surface);
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setBasePen(QPen(c.border, 1));
        axis->setTickPen(QPen(c.border, 1));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(c.muted);
        axis->setTickLabelFont(small);
        axis->setLabelColor(c.muted);
        axis->grid()->setPen(QPen(c.grid, 1));
        axis->grid()->setZeroLinePen(QPen(c.grid, 1));
    }
    m_plot->selectionRect()->setPen(QPen(c.accent, 1));
    QColor inside = c.accent;
    inside.setAlpha(40);
    m_plot->selectionRect()->setBrush(inside);
}

int PlotPanel::columns() const {
    return std::max(16, m_plot->axisRect()->width());
}

void PlotPanel::refresh() {
    m_updating = true;
    m_plot->xAxis->setRange(m_group.from(), m_group.to());
    rebuild();
    m_updating = false;
    const auto step = m_group.cursor();
    m_readout->set(step, step ? tr("step %1").arg(std::llround(*step)) : QString(),
                   step ? valuesAt(*step) : QList<ReadoutEntry>());
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void PlotPanel::setValueRange(double low, double high, bool fromZero) {
    if (fromZero)
        low = std::min(low, 0.0);
    const double size = std::max(std::abs(low), std::abs(high));
    const double span = high > low ? high - low : size > 0 ? size * 0.1 : 1;
    m_plot->yAxis->setRange(fromZero && low == 0 ? 0 : low - span * 0.06, high + span * 0.08);
}

void PlotPanel::moveCursor() {
    if (!isVisible())
        return;
    const auto step = m_group.cursor();
    m_readout->set(step, step ? tr("step %1").arg(std::llround(*step)) : QString(),
                   step ? valuesAt(*step) : QList<ReadoutEntry>());
    m_plot->layer(cursorLayer)->replot();
}

void PlotPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void PlotPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (isVisible())
        refresh();
}

bool PlotPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_plot)
        return QWidget::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::MouseMove: {
        const QPointF at = static_cast<QMouseEvent*>(event)->position();
        const bool inside = m_plot->axisRect()->rect().contains(at.toPoint()) && m_group.hasData();
        m_group.setCursor(inside ? std::optional(std::round(m_plot->xAxis->pixelToCoord(at.x())))
                                 : std::nullopt);
        break;
    }
    case QEvent::Leave:
        m_group.setCursor(std::nullopt);
        break;
    case QEvent::MouseButtonDblClick:
        m_group.showAll();
        return true;
    case QEvent::Wheel:
        onWheel(*static_cast<QWheelEvent*>(event));
        return true;
    case QEvent::KeyPress:
        return onKey(static_cast<QKeyEvent*>(event)->key());
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), toolTipAt(help->pos()), m_plot);
        return true;
    }
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

void PlotPanel::onWheel(QWheelEvent& event) {
    const QPoint turned = event.angleDelta();
    const bool sideways = turned.y() == 0 || (event.modifiers() & Qt::ShiftModifier);
    const double notches = (turned.y() != 0 ? turned.y() : turned.x()) / 120.0;
    if (sideways)
        m_group.pan(-0.1 * notches);
    else
        m_group.zoom(std::pow(0.8, notches), m_plot->xAxis->pixelToCoord(event.position().x()));
    event.accept();
}

bool PlotPanel::onKey(int key) {
    const double middle = m_group.cursor().value_or((m_group.from() + m_group.to()) / 2);
    switch (key) {
    case Qt::Key_Left:
        m_group.pan(-0.1);
        return true;
    case Qt::Key_Right:
        m_group.pan(0.1);
        return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        m_group.zoom(0.8, middle);
        return true;
    case Qt::Key_Minus:
        m_group.zoom(1.25, middle);
        return true;
    case Qt::Key_Home:
        m_group.showAll();
        return true;
    default:
        return false;
    }
}

QString PlotPanel::toolTipAt(const QPoint& position) const {
    const PlotMark* mark = m_marks->markAt(position.x());
    return mark ? tr("Step %1: %2").arg(std::llround(mark->step)).arg(mark->text) : QString();
}

} // namespace coxswain::ui
