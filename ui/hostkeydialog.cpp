// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hostkeydialog.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace coxswain::ui {

HostKeyDialog::HostKeyDialog(const HostKeyQuestion& question, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("hostKeyDialog"));
    setWindowTitle(tr("Unknown host"));
    auto* text = new QLabel(tr("%1 was never seen from this machine. Its %2 key has the fingerprint")
                                .arg(question.host, question.keyType));
    text->setObjectName(QStringLiteral("hostKeyText"));
    text->setWordWrap(true);
    auto* fingerprint = new QLabel(question.fingerprint);
    fingerprint->setObjectName(QStringLiteral("hostKeyFingerprint"));
    fingerprint->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    fingerprint->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* advice =
        new QLabel(tr("If you are not sure, compare it with what this prints on the host itself: "
                      "ssh-keygen -lf /etc/ssh/ssh_host_%1_key.pub")
                       .arg(question.keyType.startsWith(QStringLiteral("ssh-")) ? question.keyType.mid(4)
                                                                                : question.keyType));
    advice->setWordWrap(true);
    advice->setProperty("role", QStringLiteral("muted"));
    auto* buttons = new QDialogButtonBox;
    auto* accept = buttons->addButton(tr("Trust this host"), QDialogButtonBox::AcceptRole);
    auto* refuse = buttons->addButton(tr("Do not connect"), QDialogButtonBox::RejectRole);
    accept->setObjectName(QStringLiteral("hostKeyAccept"));
    refuse->setObjectName(QStringLiteral("hostKeyRefuse"));
    auto* column = new QVBoxLayout(this);
    for (QLabel* label : {text, fingerprint, advice})
        column->addWidget(label);
    column->addWidget(buttons);
    // A person who presses Enter without reading must not have trusted anything. (A button knows its dialog
    // only once it is in it.)
    refuse->setDefault(true);
    refuse->setFocus();
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::finished, this,
            [this, id = question.id](int result) { emit answered(id, result == QDialog::Accepted); });
}

} // namespace coxswain::ui
