// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace coxswain::ui {

/// Asks for names and ranges of nodes; says at once which nodes they are, or which word is wrong.
class AddNodesDialog : public QDialog {
    Q_OBJECT
public:
    explicit AddNodesDialog(QWidget* parent = nullptr);

    QString text() const;

private:
    void validate();

    QPlainTextEdit* m_text;
    QLabel* m_preview;
    QPushButton* m_add;
};

} // namespace coxswain::ui
