// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLineEdit;
class QPushButton;

namespace coxswain::ui {

/// A command, in a fixed-width font, with a button that copies it.
class CopyLine : public QWidget {
    Q_OBJECT
public:
    explicit CopyLine(QWidget* parent = nullptr);

    void setText(const QString& text);
    QString text() const;
    void copy() const;

private:
    QLineEdit* m_line;
    QPushButton* m_button;
};

} // namespace coxswain::ui
