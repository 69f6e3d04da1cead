// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QComboBox;
class QLineEdit;
class QStackedWidget;

namespace coxswain::ui {

class FieldRow;
class JobDocument;

/// What is trained and on what: a Hugging Face folder or a small model from scratch, and a text file.
class InputSection : public QWidget {
    Q_OBJECT
public:
    explicit InputSection(JobDocument& document, QWidget* parent = nullptr);

private:
    void readAll();
    void showErrors();
    void chooseModel(int index);
    void browse(bool model);
    QString sizeText() const;

    JobDocument& m_document;
    QComboBox* m_model; ///< data: index of a preset, or one of the two below
    QLineEdit* m_folder;
    QLineEdit* m_data;
    FieldRow *m_modelRow, *m_folderRow, *m_dataRow;
};

} // namespace coxswain::ui
