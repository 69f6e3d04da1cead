// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/run.h"

#include <QFrame>
#include <QTimer>

class QLabel;

namespace coxswain::ui {

class Theme;

/// The phases of a run side by side: done ones with the time they took, the current one with a running time,
/// and what is still to come.
class PhaseStrip : public QFrame {
    Q_OBJECT
public:
    explicit PhaseStrip(const Theme& theme, QWidget* parent = nullptr);

    void set(const job::RunSnapshot& snapshot);

private:
    struct Cell {
        core::Phase phase;
        QLabel* symbol;
        QLabel* text;
    };
    void refresh();

    const Theme& m_theme;
    QList<Cell> m_cells;
    QTimer m_clock; ///< for the running time
    QList<job::PhaseTime> m_phases;
    core::Phase m_failedIn = core::Phase::Idle; ///< Idle: in none
    bool m_ended = false;
};

} // namespace coxswain::ui
