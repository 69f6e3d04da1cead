// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/paths.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStandardPaths>

namespace coxswain::job {

Paths Paths::standard() {
    const auto below = [](QStandardPaths::StandardLocation place) {
        return QStandardPaths::writableLocation(place) + QStringLiteral("/coxswain");
    };
    Paths paths;
    paths.config = below(QStandardPaths::GenericConfigLocation);
    paths.runs = below(QStandardPaths::GenericDataLocation) + QStringLiteral("/runs");
    paths.cache = below(QStandardPaths::GenericCacheLocation);
    const QString programs = QCoreApplication::applicationDirPath();
    const QString installed = programs + QStringLiteral("/../lib/coxswain");
    const bool built = QFileInfo::exists(programs + QStringLiteral("/coxswain-agent"));
    paths.agent =
        built ? programs + QStringLiteral("/coxswain-agent") : installed + QStringLiteral("/coxswain-agent");
    paths.runtimes = built ? QFileInfo(programs + QStringLiteral("/../runtimes")).absoluteFilePath()
                           : installed + QStringLiteral("/runtimes");
    return paths;
}

} // namespace coxswain::job
