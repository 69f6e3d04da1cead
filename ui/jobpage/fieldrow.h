// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace coxswain::ui {

/// One row of a form: title, editor, unit; below them the help, or what is wrong with the value.
class FieldRow : public QWidget {
    Q_OBJECT
public:
    /// Takes `editor`. Its object name is `name`, that of the line below name + "Note".
    FieldRow(const QString& name, const QString& title, QWidget* editor, const QString& unit,
             const QString& help, QWidget* parent = nullptr);

    void setError(const QString& error);
    QString error() const { return m_error; }
    void setHelp(const QString& help);
    /// A widget to the right of the editor.
    void addButton(QWidget* button);

private:
    void showNote();

    QWidget* m_editor;
    QHBoxLayout* m_line;
    QLabel* m_note;
    QString m_help;
    QString m_error;
};

/// Makes a changed dynamic property count in the style sheet.
void repolish(QWidget* widget);

} // namespace coxswain::ui
