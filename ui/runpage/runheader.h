// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/run.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace coxswain::ui {

class Theme;

/// Name and state of the run, its numbers, and what a person may do with it now.
class RunHeader : public QFrame {
    Q_OBJECT
public:
    explicit RunHeader(const Theme& theme, QWidget* parent = nullptr);

    void set(const job::RunSnapshot& snapshot, const std::optional<double>& loss, bool canStop,
             bool canEndNow);

signals:
    void stopRequested(bool now);
    void followRequested(); ///< a run that was opened from disk and may still be running
    void againRequested();

private:
    QLabel* addValue(QHBoxLayout& row, const QString& name, const QString& caption, const QString& toolTip);

    const Theme& m_theme;
    QLabel *m_symbol, *m_name, *m_state;
    QProgressBar* m_progress;
    QLabel *m_step, *m_left, *m_speed, *m_loss;
    QPushButton *m_stop, *m_end, *m_follow, *m_again;
};

} // namespace coxswain::ui
