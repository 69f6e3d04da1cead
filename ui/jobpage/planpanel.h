// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/jobpage/planview.h"

#include <QFrame>

class QGridLayout;
class QLabel;
class QPushButton;
class QTableWidget;

namespace coxswain::ui {

class CopyLine;
class Theme;

/// What the job will do, beside the form.
class PlanPanel : public QFrame {
    Q_OBJECT
public:
    explicit PlanPanel(const Theme& theme, QWidget* parent = nullptr);

    /// `command` is empty when the job has to be saved first. While `checking`, what has to be checked is.
    void show(const PlanView& view, const QString& command, bool checking);

signals:
    void checkRequested();

private:
    void fillFacts();
    void fillNodes();

    const Theme& m_theme;
    PlanView m_view;
    QLabel *m_symbol, *m_problem;
    QPushButton* m_check;
    QWidget* m_facts;
    QGridLayout* m_grid;
    QTableWidget* m_nodes;
    CopyLine* m_command;
    QLabel* m_noCommand;
};

} // namespace coxswain::ui
