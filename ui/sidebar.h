// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/run.h"
#include "ui/settings.h"

#include <QFrame>
#include <QList>

class QComboBox;
class QLabel;
class QProgressBar;
class QToolButton;

namespace coxswain::ui {

class Theme;

/// Buttons of the pages, and the state of the current run, always in sight.
class Sidebar : public QFrame {
    Q_OBJECT
public:
    enum Page { Nodes, Job, Run, History, PageCount };

    explicit Sidebar(const Theme& theme, QWidget* parent = nullptr);

    void setPage(Page page);
    /// nullptr: there is no run.
    void setRun(const job::RunSnapshot* snapshot);
    void setThemeMode(ThemeMode mode);

signals:
    void pageRequested(int page);
    void themeRequested(ThemeMode mode);

private:
    QWidget* makeRunCard();
    void recolour();

    const Theme& m_theme;
    QList<QToolButton*> m_buttons; ///< by Page
    QFrame* m_card;
    QLabel *m_symbol, *m_name, *m_state, *m_numbers;
    QProgressBar* m_progress;
    QComboBox* m_themes;
    core::Severity m_severity = core::Severity::Unknown;
};

} // namespace coxswain::ui
