// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/health.h"

#include <QFrame>

class QLabel;

namespace coxswain::ui {

class CopyLine;
class Theme;

/// One cell of the check matrix in full: observed, expected, why it matters, and the fix with Copy.
class CheckDetails : public QFrame {
    Q_OBJECT
public:
    explicit CheckDetails(const Theme& theme, QWidget* parent = nullptr);

    /// nullptr: nothing is selected.
    void show(const core::CheckResult* check);

private:
    const Theme& m_theme;
    QLabel* m_symbol;
    QLabel* m_title;
    QWidget* m_body;
    QLabel* m_observed;
    QLabel* m_expected;
    QLabel* m_why;
    QLabel* m_fixTitle;
    QLabel* m_fix;
    CopyLine* m_command;
};

} // namespace coxswain::ui
