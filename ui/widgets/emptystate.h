// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace coxswain::ui {

/// What an empty page shows: what it is for, and a button for what to do next.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const QString& title, const QString& text, const QString& action, QWidget* parent = nullptr);

    void setText(const QString& text);

signals:
    void actionRequested();

private:
    QLabel* m_text;
};

} // namespace coxswain::ui
