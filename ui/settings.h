// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>

namespace coxswain::ui {

enum class ThemeMode { System, Light, Dark };

/// What the window remembers, in window.ini below the configuration folder.
class Settings {
public:
    explicit Settings(const QString& folder);

    ThemeMode theme() const;
    void setTheme(ThemeMode mode);

    QByteArray geometry() const;
    void setGeometry(const QByteArray& geometry);

    /// Name of the page that was shown last; empty at first.
    QString page() const;
    void setPage(const QString& name);

    /// Folder of the last file dialog; the home at first.
    QString folder() const;
    void setFolder(const QString& folder);

private:
    QSettings m_file;
};

} // namespace coxswain::ui
