// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/health.h"

#include <QFrame>

class QLabel;

namespace coxswain::ui {

class Theme;

/// A line that tells what happened, with the severity's symbol; stays until it is closed or replaced. Text
/// can be selected. Hidden while there is nothing to tell.
class NoticeBar : public QFrame {
    Q_OBJECT
public:
    explicit NoticeBar(const Theme& theme, QWidget* parent = nullptr);

    void show(core::Severity severity, const QString& text);
    /// One more line below what is there; the symbol is that of the worse one.
    void append(core::Severity severity, const QString& text);
    void clear();
    QString text() const;

private:
    void refresh();

    const Theme& m_theme;
    core::Severity m_severity = core::Severity::Info;
    QLabel* m_symbol;
    QLabel* m_text;
};

} // namespace coxswain::ui
