// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runpage/phasestrip.h"

#include "ui/format.h"
#include "ui/runtexts.h"
#include "ui/theme.h"
#include "ui/widgets/icons.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace coxswain::ui {
namespace {

using core::Phase;

constexpr Phase shownPhases[] = {Phase::Connect,   Phase::Check, Phase::Sync, Phase::Launch,
                                 Phase::FirstStep, Phase::Train, Phase::Clean};

/// A filled dot for the current phase, an empty one for what is to come.
QPixmap dot(const QColor& colour, bool filled) {
    QPixmap pixmap(32, 32);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.5));
    painter.setBrush(filled ? QBrush(colour) : QBrush(Qt::NoBrush));
    painter.drawEllipse(QPointF(8, 8), 4, 4);
    return pixmap;
}

} // namespace

PhaseStrip::PhaseStrip(const Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme) {
    setObjectName(QStringLiteral("phaseStrip"));
    setProperty("card", true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 4, 10, 4);
    row->setSpacing(4);
    for (const Phase phase : shownPhases) {
        if (!m_cells.isEmpty())
            row->addStretch();
        Cell cell{phase, new QLabel, new QLabel};
        cell.text->setObjectName(QStringLiteral("phase_") + core::phaseName(phase));
        row->addWidget(cell.symbol);
        row->addWidget(cell.text);
        m_cells.append(cell);
    }
    m_clock.setInterval(500);
    connect(&m_clock, &QTimer::timeout, this, &PhaseStrip::refresh);
    connect(&theme, &Theme::changed, this, &PhaseStrip::refresh);
}

void PhaseStrip::set(const job::RunSnapshot& snapshot) {
    m_phases = snapshot.phases;
    m_ended = !snapshot.live || snapshot.state.phase == Phase::Ended;
    m_failedIn = Phase::Idle;
    if (snapshot.record.outcome == core::Outcome::Failed || snapshot.state.outcome == core::Outcome::Failed) {
        // The newest phase that is not the aftermath.
        for (const auto& phase : m_phases)
            if (phase.phase != Phase::Clean && phase.phase != Phase::Ended)
                m_failedIn = phase.phase == Phase::Stop ? Phase::Train : phase.phase;
    }
    if (m_ended)
        m_clock.stop();
    else
        m_clock.start();
    refresh();
}

void PhaseStrip::refresh() {
    const Colours& c = m_theme.colours();
    for (const Cell& cell : m_cells) {
        double spent = -1;
        bool seen = false;
        bool current = false;
        QDateTime began;
        for (const auto& phase : m_phases) {
            // Stopping is the end of training.
            const bool mine =
                phase.phase == cell.phase || (cell.phase == Phase::Train && phase.phase == Phase::Stop);
            if (!mine)
                continue;
            seen = true;
            if (!began.isValid())
                began = phase.began;
            const bool running = phase.milliseconds < 0 && !m_ended;
            current = current || running;
            const qint64 took =
                running ? phase.began.msecsTo(QDateTime::currentDateTime()) : phase.milliseconds;
            if (took >= 0)
                spent = std::max(0.0, spent) + double(took) / 1000;
        }
        const bool failed = seen && m_failedIn == cell.phase;
        cell.symbol->setPixmap(failed    ? icons::severity(core::Severity::Error, c.error)
                               : current ? dot(c.accent, true)
                               : seen    ? icons::severity(core::Severity::Ok, c.ok)
                                         : dot(c.muted, false));
        const QString title = runtexts::phaseTitle(cell.phase);
        cell.text->setText(spent >= 0 ? QStringLiteral("<b>%1</b> %2").arg(title, format::duration(spent))
                                      : title);
        cell.text->setEnabled(seen);
        cell.text->setToolTip(began.isValid() ? tr("Began %1").arg(format::instant(began))
                                              : tr("Not reached"));
    }
}

} // namespace coxswain::ui
