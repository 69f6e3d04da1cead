// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/inputs.h"

#include "trainer/wire/layout.h"
#include "trainer/wire/sha256.h"
#include "trainer/wire/shard.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLockFile>

namespace coxswain::job {
namespace {

using core::ErrorCode;

core::Expected<QString> digestOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return core::fail({ErrorCode::Missing, {}, QStringLiteral("read ") + path, file.errorString(), {}});
    wire::Sha256 hash;
    QByteArray block;
    while (!(block = file.read(1 << 20)).isEmpty())
        hash.update(block.constData(), static_cast<std::size_t>(block.size()));
    return QString::fromStdString(hash.hexDigest());
}

/// Names the folder of these shards: another source, another version of it, or another split is another name.
QString cacheKey(const QFileInfo& source, const wire::JobSpec& spec, int worldSize) {
    const QString text = QStringLiteral("%1\n%2\n%3\n%4\n%5\n%6")
                             .arg(source.canonicalFilePath())
                             .arg(source.size())
                             .arg(source.lastModified().toMSecsSinceEpoch())
                             .arg(spec.train.globalBatch)
                             .arg(worldSize)
                             .arg(QString::fromStdString(spec.data.kind));
    return QString::fromStdString(wire::sha256Hex(text.toStdString())).left(32);
}

} // namespace

QString desktopPath(const wire::Input& input, const QString& jobFolder) {
    const QString path = QString::fromStdString(input.path);
    if (path == QLatin1String("~") || path.startsWith(QLatin1String("~/")))
        return QDir::homePath() + path.mid(1);
    return QDir::cleanPath(QDir(jobFolder).absoluteFilePath(path));
}

core::Expected<QList<PreparedFile>> prepareShards(const wire::JobSpec& spec, const QString& jobFolder,
                                                  int worldSize, const QString& cache,
                                                  const std::function<bool()>& cancelled) {
    const QFileInfo source(desktopPath(spec.data.source, jobFolder));
    const QString tried = QStringLiteral("read the training data ") + source.filePath();
    if (!source.isFile())
        return core::fail(
            {ErrorCode::Missing,
             {},
             tried,
             source.exists() ? QStringLiteral("it is not a file") : QStringLiteral("there is no such file"),
             QStringLiteral("Set data.source to a text file with one document a line")});
    const QString folder = cache + QStringLiteral("/shards/") + cacheKey(source, spec, worldSize);
    if (!QDir().mkpath(folder))
        return core::fail({ErrorCode::Permission,
                           {},
                           QStringLiteral("create ") + folder,
                           QStringLiteral("the folder cannot be made"),
                           {}});
    QLockFile lock(folder + QStringLiteral("/lock")); // two programs may start the same job at once
    lock.setStaleLockTime(0);
    lock.lock();

    std::optional<wire::Documents> documents;
    QList<PreparedFile> shards;
    for (int rank = 0; rank < worldSize; ++rank) {
        if (cancelled())
            return core::fail({ErrorCode::Cancelled, {}, tried, QStringLiteral("cancelled"), {}});
        const QString name = QString::fromStdString(wire::layout::shardFile(rank, worldSize));
        PreparedFile shard{name, folder + QLatin1Char('/') + name, 0, {}};
        if (!QFileInfo::exists(shard.path)) {
            if (!documents) {
                auto read =
                    wire::Documents::fromText(source.filePath().toStdString(), spec.train.globalBatch);
                if (!read)
                    return core::fail(
                        {ErrorCode::BadInput, {}, tried, QString::fromStdString(read.error().text()), {}});
                documents = std::move(*read);
            }
            const auto written = wire::writeShard(*documents, source.fileName().toStdString(), rank,
                                                  worldSize, shard.path.toStdString());
            if (!written)
                return core::fail({ErrorCode::NoSpace,
                                   {},
                                   QStringLiteral("write ") + shard.path,
                                   QString::fromStdString(written.error().text()),
                                   {}});
        }
        const auto digest = digestOf(shard.path);
        if (!digest)
            return core::fail(digest.error());
        shard.sha256 = *digest;
        shard.size = QFileInfo(shard.path).size();
        shards.append(shard);
    }
    return shards;
}

core::Expected<QList<PreparedFile>> prepareModel(const wire::JobSpec& spec, const QString& jobFolder,
                                                 const std::function<bool()>& cancelled) {
    if (!spec.model.folder || spec.model.folder->at != wire::Input::At::Desktop)
        return QList<PreparedFile>();
    const QDir folder(desktopPath(*spec.model.folder, jobFolder));
    const QString tried = QStringLiteral("read the model ") + folder.path();
    const QString config = QStringLiteral("config.json");
    QStringList names = folder.entryList(QDir::Files, QDir::Name);
    if (!names.removeOne(config) || names.filter(QStringLiteral(".safetensors")).isEmpty())
        return core::fail({ErrorCode::Missing,
                           {},
                           tried,
                           folder.exists() ? QStringLiteral("it has no config.json or no *.safetensors")
                                           : QStringLiteral("there is no such folder"),
                           QStringLiteral("Set model.folder to a Hugging Face folder")});
    names.prepend(config);
    QList<PreparedFile> files;
    for (const auto& name : names) {
        if (cancelled())
            return core::fail({ErrorCode::Cancelled, {}, tried, QStringLiteral("cancelled"), {}});
        const QString path = folder.filePath(name);
        const auto digest = digestOf(path);
        if (!digest)
            return core::fail(digest.error());
        files.append({name, path, QFileInfo(path).size(), *digest});
    }
    return files;
}

} // namespace coxswain::job
