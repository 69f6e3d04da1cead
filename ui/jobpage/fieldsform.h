// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/wire/jobspec.h"

#include <QList>
#include <QWidget>

class QToolButton;

namespace coxswain::ui {

class FieldRow;
class JobDocument;

/// A row for each of wire::jobFields(), in its order; the advanced ones are folded, and unfold by themselves
/// when one of them is wrong.
class FieldsForm : public QWidget {
    Q_OBJECT
public:
    explicit FieldsForm(JobDocument& document, QWidget* parent = nullptr);

private:
    struct Field {
        const wire::FieldInfo& info;
        QWidget* editor;
        FieldRow* row;
        bool advanced;
    };
    void addField(const wire::FieldInfo& info, QWidget* place);
    void readAll();
    void showErrors();

    JobDocument& m_document;
    QList<Field> m_fields;
    QToolButton* m_more;
    QWidget* m_folded;
};

} // namespace coxswain::ui
