// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodespage/addnodesdialog.h"

#include "cluster/core/hostlist.h"
#include "ui/nodefacts.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

namespace coxswain::ui {

AddNodesDialog::AddNodesDialog(QWidget* parent)
    : QDialog(parent), m_text(new QPlainTextEdit), m_preview(new QLabel) {
    setObjectName(QStringLiteral("addNodesDialog"));
    setWindowTitle(tr("Add nodes"));
    setMinimumSize(460, 300);
    auto* help = new QLabel(tr("Names or addresses, with ranges, as you would give them to ssh. A node needs "
                               "nothing but an SSH server that lets you in with a key."));
    help->setWordWrap(true);
    m_text->setObjectName(QStringLiteral("addNodesText"));
    m_text->setAccessibleName(tr("Nodes"));
    m_text->setPlaceholderText(QStringLiteral("gpu[01-08]\nme@10.0.0.7:2222\nlocal"));
    m_text->setTabChangesFocus(true);
    m_preview->setObjectName(QStringLiteral("addNodesPreview"));
    m_preview->setWordWrap(true);
    m_preview->setTextFormat(Qt::PlainText);
    m_preview->setMinimumHeight(m_preview->fontMetrics().lineSpacing() * 2);
    m_preview->setAlignment(Qt::AlignTop);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_add = buttons->addButton(tr("Add and check"), QDialogButtonBox::AcceptRole);
    m_add->setObjectName(QStringLiteral("addNodesOk"));
    m_add->setDefault(true);
    auto* column = new QVBoxLayout(this);
    column->addWidget(help);
    column->addWidget(m_text, 1);
    column->addWidget(m_preview);
    column->addWidget(buttons);
    connect(m_text, &QPlainTextEdit::textChanged, this, &AddNodesDialog::validate);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    validate();
}

QString AddNodesDialog::text() const {
    return m_text->toPlainText();
}

void AddNodesDialog::validate() {
    const auto hosts = core::parseHostList(text());
    const bool wrong = !hosts.has_value() && !text().trimmed().isEmpty();
    m_add->setEnabled(hosts.has_value() && !hosts->isEmpty());
    m_preview->setProperty("role", wrong ? QStringLiteral("error") : QStringLiteral("muted"));
    m_preview->style()->unpolish(m_preview);
    m_preview->style()->polish(m_preview);
    if (wrong) {
        m_preview->setText(hosts.error().seen + (hosts.error().fix.isEmpty()
                                                     ? QString()
                                                     : QStringLiteral(". ") + hosts.error().fix));
        return;
    }
    if (!hosts || hosts->isEmpty()) {
        m_preview->setText(tr("No node yet."));
        return;
    }
    constexpr int shown = 8;
    QStringList names;
    for (const auto& host : hosts->mid(0, shown))
        names.append(nodefacts::displayName(host));
    if (hosts->size() > shown)
        names.append(tr("… and %1 more").arg(hosts->size() - shown));
    m_preview->setText((hosts->size() == 1 ? tr("1 node: %2") : tr("%1 nodes: %2").arg(hosts->size()))
                           .arg(names.join(QStringLiteral(", "))));
}

} // namespace coxswain::ui
