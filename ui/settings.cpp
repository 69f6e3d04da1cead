// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings.h"

#include <QDir>

namespace coxswain::ui {
namespace {

const QString themeKey = QStringLiteral("window/theme");
const QString geometryKey = QStringLiteral("window/geometry");
const QString pageKey = QStringLiteral("window/page");
const QString folderKey = QStringLiteral("files/folder");

} // namespace

Settings::Settings(const QString& folder)
    : m_file(folder + QStringLiteral("/window.ini"), QSettings::IniFormat) {}

ThemeMode Settings::theme() const {
    const QString name = m_file.value(themeKey).toString();
    if (name == QStringLiteral("light"))
        return ThemeMode::Light;
    return name == QStringLiteral("dark") ? ThemeMode::Dark : ThemeMode::System;
}

void Settings::setTheme(ThemeMode mode) {
    m_file.setValue(themeKey, mode == ThemeMode::Light  ? QStringLiteral("light")
                              : mode == ThemeMode::Dark ? QStringLiteral("dark")
                                                        : QStringLiteral("system"));
}

QByteArray Settings::geometry() const {
    return m_file.value(geometryKey).toByteArray();
}

void Settings::setGeometry(const QByteArray& geometry) {
    m_file.setValue(geometryKey, geometry);
}

QString Settings::page() const {
    return m_file.value(pageKey).toString();
}

void Settings::setPage(const QString& name) {
    m_file.setValue(pageKey, name);
}

QString Settings::folder() const {
    return m_file.value(folderKey, QDir::homePath()).toString();
}

void Settings::setFolder(const QString& folder) {
    m_file.setValue(folderKey, folder);
}

} // namespace coxswain::ui
