// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/noticebar.h"

#include "ui/theme.h"
#include "ui/widgets/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace coxswain::ui {
namespace {

int badness(core::Severity severity) {
    switch (severity) {
    case core::Severity::Error:
        return 3;
    case core::Severity::Warning:
        return 2;
    case core::Severity::Unknown:
        return 1;
    default:
        return 0;
    }
}

} // namespace

NoticeBar::NoticeBar(const Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_symbol(new QLabel), m_text(new QLabel) {
    setProperty("card", true);
    m_text->setObjectName(QStringLiteral("noticeText"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* close = new QToolButton;
    close->setObjectName(QStringLiteral("noticeClose"));
    close->setText(QStringLiteral("✕"));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(close->toolTip());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 6, 6, 6);
    row->addWidget(m_symbol, 0, Qt::AlignTop);
    row->addWidget(m_text, 1);
    row->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &NoticeBar::clear);
    connect(&theme, &Theme::changed, this, &NoticeBar::refresh);
    clear();
}

void NoticeBar::show(core::Severity severity, const QString& text) {
    m_severity = severity;
    m_text->setText(text);
    refresh();
    setVisible(true);
}

void NoticeBar::append(core::Severity severity, const QString& text) {
    if (m_text->text().isEmpty())
        return show(severity, text);
    show(badness(severity) > badness(m_severity) ? severity : m_severity,
         m_text->text() + QLatin1Char('\n') + text);
}

void NoticeBar::clear() {
    m_text->clear();
    setVisible(false);
}

QString NoticeBar::text() const {
    return m_text->text();
}

void NoticeBar::refresh() {
    m_symbol->setPixmap(icons::severity(m_severity, m_theme.colours().of(m_severity)));
    m_symbol->setAccessibleName(core::severityName(m_severity));
}

} // namespace coxswain::ui
