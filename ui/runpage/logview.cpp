// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runpage/logview.h"

#include <QFontDatabase>
#include <QScrollBar>

namespace coxswain::ui {
namespace {

constexpr int mostLines = 10000;
constexpr qsizetype mostBytes = 4 << 20;

} // namespace

LogView::LogView(QWidget* parent) : QPlainTextEdit(parent) {
    setObjectName(QStringLiteral("logView"));
    setAccessibleName(tr("Log"));
    setReadOnly(true);
    setMaximumBlockCount(mostLines);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setUndoRedoEnabled(false);
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setPlaceholderText(tr("What mpirun and the ranks print appears here."));
}

void LogView::reset(const QByteArray& log) {
    clear();
    m_stripper = AnsiStripper();
    if (log.size() <= mostBytes)
        return append(log);
    const qsizetype cut = log.indexOf('\n', log.size() - mostBytes);
    append(log.mid(cut < 0 ? log.size() - mostBytes : cut + 1));
}

void LogView::append(const QByteArray& bytes) {
    const QString text = m_stripper.feed(bytes);
    if (text.isEmpty())
        return;
    QScrollBar* bar = verticalScrollBar();
    const bool atEnd = bar->value() >= bar->maximum() - 1;
    QTextCursor end(document());
    end.movePosition(QTextCursor::End);
    end.insertText(text);
    if (atEnd)
        bar->setValue(bar->maximum());
}

} // namespace coxswain::ui
