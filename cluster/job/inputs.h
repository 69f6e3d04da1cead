// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"
#include "trainer/wire/jobspec.h"

#include <QList>
#include <QString>

#include <functional>

namespace coxswain::job {

/// A file on the desktop, ready to be sent.
struct PreparedFile {
    QString name; ///< in the folder of the job that it will lie in
    QString path;
    qint64 size = 0;
    QString sha256;
};

/// The absolute path of a desktop input: relative ones are relative to `jobFolder`, "~/" is the home.
QString desktopPath(const wire::Input& input, const QString& jobFolder);

/// Splits the job's text into one shard for each rank, in their order (Note [Lanes] in wire/shard.h), kept in
/// `cache` by source, lanes and world size, so that a second start finds them there. Blocking: belongs in a
/// thread of its own.
core::Expected<QList<PreparedFile>> prepareShards(const wire::JobSpec& spec, const QString& jobFolder,
                                                  int worldSize, const QString& cache,
                                                  const std::function<bool()>& cancelled);

/// The files of a Hugging Face folder on the desktop, config.json first; none for a job that starts from
/// scratch or whose model lies on the nodes. Blocking.
core::Expected<QList<PreparedFile>> prepareModel(const wire::JobSpec& spec, const QString& jobFolder,
                                                 const std::function<bool()>& cancelled);

} // namespace coxswain::job
