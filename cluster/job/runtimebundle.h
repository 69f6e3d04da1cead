// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"

#include <QList>
#include <QString>

namespace coxswain::job {

/// A runtime as the build made it (resources/cmake/Bundle.cmake): files by content.
struct RuntimeBundle {
    struct File {
        QString path; ///< in the bundle, relative
        qint64 size = 0;
        int mode = 0644;
        QString sha256;
    };
    QString name;
    QString hash; ///< names runtime/<hash> on nodes
    QString folder;
    QList<File> files;

    qint64 bytes() const;
};

/// Reads `runtimes`/NAME.json. Missing says how to build that runtime.
core::Expected<RuntimeBundle> readRuntimeBundle(const QString& runtimes, const QString& name);

} // namespace coxswain::job
