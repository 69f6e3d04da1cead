// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/run.h"

#include <QFrame>

class QLabel;
class QToolButton;

namespace coxswain::ui {

class CopyLine;
class Theme;

/// Leads the Run page when a run ends badly: who failed first, in its own words, what to do; what followed is
/// folded. Without a card from the ranks it shows the run's first error. Hidden when nothing failed.
class FailureCardView : public QFrame {
    Q_OBJECT
public:
    explicit FailureCardView(const Theme& theme, QWidget* parent = nullptr);

    void set(const job::RunSnapshot& snapshot);

private:
    void show(const QString& headline, const QString& detail, const QString& fix,
              const QStringList& consequences);
    void refreshSymbol();

    const Theme& m_theme;
    QLabel *m_symbol, *m_headline, *m_detail, *m_fix;
    CopyLine* m_command;
    QToolButton* m_more;
    QLabel* m_consequences;
};

} // namespace coxswain::ui
