// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/health.h"
#include "ui/settings.h"

#include <QColor>
#include <QList>
#include <QObject>

class QApplication;

namespace coxswain::ui {

/// Colours of one appearance. `series` is Okabe and Ito's palette, in an order that suits the background:
/// colour-blind-safe, and never the only sign (lines also have a pattern, symbols a shape).
struct Colours {
    bool dark = false;
    QColor window, surface, raised, border, grid;
    QColor text, muted, accent, onAccent;
    QColor ok, info, warning, error, unknown;
    QList<QColor> series;

    QColor of(core::Severity severity) const;
};

/// Qt 6.4 cannot tell whether the desktop is dark: System goes by the palette that the platform gave at
/// start. Applies Fusion, a palette and a style sheet to the application.
class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(QApplication& application, QObject* parent = nullptr);

    ThemeMode mode() const { return m_mode; }
    void setMode(ThemeMode mode);
    const Colours& colours() const { return m_colours; }

signals:
    void changed();

private:
    void apply();

    QApplication& m_application;
    bool m_systemIsDark = false;
    ThemeMode m_mode = ThemeMode::System;
    Colours m_colours;
};

} // namespace coxswain::ui
