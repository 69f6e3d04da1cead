// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyleFactory>

namespace coxswain::ui {
namespace {

Colours lightColours() {
    Colours c;
    c.window = QColor(0xf3, 0xf4, 0xf6);
    c.surface = Qt::white;
    c.raised = QColor(0xe9, 0xec, 0xf0);
    c.border = QColor(0xd0, 0xd5, 0xdc);
    c.grid = QColor(0xe6, 0xe8, 0xec);
    c.text = QColor(0x1b, 0x20, 0x27);
    c.muted = QColor(0x5c, 0x66, 0x73);
    c.accent = QColor(0x00, 0x5f, 0x99);
    c.onAccent = Qt::white;
    c.ok = QColor(0x00, 0x7a, 0x58);
    c.info = QColor(0x00, 0x72, 0xb2);
    c.warning = QColor(0xa8, 0x66, 0x00);
    c.error = QColor(0xb8, 0x3a, 0x00);
    c.unknown = QColor(0x6b, 0x72, 0x80);
    c.series = {QColor(0x00, 0x72, 0xb2), QColor(0xd5, 0x5e, 0x00), QColor(0x00, 0x9e, 0x73),
                QColor(0xcc, 0x79, 0xa7), QColor(0xe6, 0x9f, 0x00), QColor(0x56, 0xb4, 0xe9),
                QColor(0x9c, 0x8f, 0x00)};
    return c;
}

Colours darkColours() {
    Colours c;
    c.dark = true;
    c.window = QColor(0x16, 0x1a, 0x20);
    c.surface = QColor(0x1e, 0x23, 0x2b);
    c.raised = QColor(0x2a, 0x31, 0x3b);
    c.border = QColor(0x39, 0x42, 0x4e);
    c.grid = QColor(0x2b, 0x32, 0x3c);
    c.text = QColor(0xe4, 0xe8, 0xee);
    c.muted = QColor(0x9a, 0xa5, 0xb3);
    c.accent = QColor(0x56, 0xb4, 0xe9);
    c.onAccent = QColor(0x10, 0x16, 0x1d);
    c.ok = QColor(0x2f, 0xc0, 0x95);
    c.info = QColor(0x56, 0xb4, 0xe9);
    c.warning = QColor(0xf0, 0xb4, 0x33);
    c.error = QColor(0xff, 0x7f, 0x45);
    c.unknown = QColor(0x8b, 0x95, 0xa3);
    c.series = {QColor(0x56, 0xb4, 0xe9), QColor(0xe6, 0x9f, 0x00), QColor(0x1f, 0xb8, 0x8b),
                QColor(0xf0, 0xe4, 0x42), QColor(0xee, 0x6f, 0x1d), QColor(0xdd, 0x92, 0xbd),
                QColor(0x3d, 0x8f, 0xd1)};
    return c;
}

QPalette paletteOf(const Colours& c) {
    QPalette p;
    p.setColor(QPalette::Window, c.window);
    p.setColor(QPalette::WindowText, c.text);
    p.setColor(QPalette::Base, c.surface);
    p.setColor(QPalette::AlternateBase, c.dark ? c.surface.lighter(108) : c.surface.darker(102));
    p.setColor(QPalette::Text, c.text);
    p.setColor(QPalette::PlaceholderText, c.muted);
    p.setColor(QPalette::Button, c.dark ? c.raised : c.surface);
    p.setColor(QPalette::ButtonText, c.text);
    p.setColor(QPalette::BrightText, c.error);
    p.setColor(QPalette::ToolTipBase, c.raised);
    p.setColor(QPalette::ToolTipText, c.text);
    p.setColor(QPalette::Link, c.accent);
    p.setColor(QPalette::LinkVisited, c.accent);
    p.setColor(QPalette::Highlight, c.accent);
    p.setColor(QPalette::HighlightedText, c.onAccent);
    // Fusion shades its bevels from these.
    p.setColor(QPalette::Light, c.dark ? c.raised.lighter(130) : QColor(Qt::white));
    p.setColor(QPalette::Midlight, c.dark ? c.raised.lighter(115) : c.raised);
    p.setColor(QPalette::Mid, c.border);
    p.setColor(QPalette::Dark, c.dark ? c.window.darker(130) : c.border.darker(120));
    p.setColor(QPalette::Shadow, c.dark ? QColor(Qt::black) : c.border.darker(150));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, c.unknown);
    p.setColor(QPalette::Disabled, QPalette::Highlight, c.border);
    p.setColor(QPalette::Disabled, QPalette::HighlightedText, c.muted);
    return p;
}

/// Only what a palette cannot say: cards, the sidebar, and the roles of labels (property "role").
QString styleSheetOf(const Colours& c) {
    return QStringLiteral(R"(
QFrame[card="true"] { background: %1; border: 1px solid %2; border-radius: 6px; }
QFrame#sidebar { background: %1; border: none; border-right: 1px solid %2; }
QToolButton[nav="true"] { text-align: left; padding: 8px 10px; border: none; border-radius: 6px; }
QToolButton[nav="true"]:hover { background: %3; }
QToolButton[nav="true"]:checked { background: %4; color: %5; }
QToolButton[nav="true"]:focus { outline: none; border: 1px solid %4; }
QToolButton[chip="true"] { padding: 2px 7px; border: 1px solid %2; border-radius: 9px; background: %1; }
QToolButton[chip="true"]:hover, QToolButton[chip="true"]:focus { border-color: %4; }
QToolButton[chip="true"]:!checked { color: %6; background: transparent; border-style: dashed; }
QLabel[role="title"] { font-size: 15pt; font-weight: 600; }
QLabel[role="heading"] { font-weight: 600; }
QLabel[role="value"] { font-size: 13pt; font-weight: 600; }
QLabel[role="muted"] { color: %6; }
QLabel[role="error"] { color: %7; }
QLabel[role="warning"] { color: %8; }
QLabel[role="ok"] { color: %9; }
QLineEdit[wrong="true"], QComboBox[wrong="true"] { border: 1px solid %7; border-radius: 3px; padding: 2px; }
)")
        .arg(c.surface.name(), c.border.name(), c.raised.name(), c.accent.name(), c.onAccent.name(),
             c.muted.name(), c.error.name(), c.warning.name(), c.ok.name());
}

} // namespace

QColor Colours::of(core::Severity severity) const {
    switch (severity) {
    case core::Severity::Ok:
        return ok;
    case core::Severity::Info:
        return info;
    case core::Severity::Warning:
        return warning;
    case core::Severity::Error:
        return error;
    case core::Severity::Unknown:
        break;
    }
    return unknown;
}

Theme::Theme(QApplication& application, QObject* parent) : QObject(parent), m_application(application) {
    const QPalette system = application.palette();
    m_systemIsDark =
        system.color(QPalette::Window).lightness() < system.color(QPalette::WindowText).lightness();
    application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    apply();
}

void Theme::setMode(ThemeMode mode) {
    if (mode == m_mode)
        return;
    m_mode = mode;
    apply();
    emit changed();
}

void Theme::apply() {
    const bool dark = m_mode == ThemeMode::System ? m_systemIsDark : m_mode == ThemeMode::Dark;
    m_colours = dark ? darkColours() : lightColours();
    // Qt passes a new palette on to widgets only while no style sheet is set.
    m_application.setStyleSheet({});
    m_application.setPalette(paletteOf(m_colours));
    m_application.setStyleSheet(styleSheetOf(m_colours));
}

} // namespace coxswain::ui
