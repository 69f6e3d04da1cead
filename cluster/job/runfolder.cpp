// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/runfolder.h"

#include "cluster/core/launchplan.h"

#include <QDir>
#include <QFile>
#include <QLockFile>
#include <QSaveFile>

#include <algorithm>

namespace coxswain::job {
namespace {

using core::Error;
using core::ErrorCode;

constexpr QLatin1StringView recordFile{"run.json"};

core::Expected<void> writeAll(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return core::fail({ErrorCode::Permission,
                           {},
                           QStringLiteral("write ") + path,
                           file.errorString(),
                           QStringLiteral("Make room or check the folder's permissions")});
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
    return {};
}

core::Expected<QByteArray> readAll(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return core::fail({ErrorCode::Missing, {}, QStringLiteral("read ") + path, file.errorString(), {}});
    return file.readAll();
}

} // namespace

core::Expected<RunFolder> RunFolder::create(const QString& runs, const RunRecord& record) {
    RunFolder folder(runs + QLatin1Char('/') + record.id);
    if (!QDir().mkpath(runs) || !QDir().mkdir(folder.m_path))
        return core::fail({ErrorCode::Permission,
                           {},
                           QStringLiteral("create ") + folder.m_path,
                           QStringLiteral("the folder cannot be made"),
                           QStringLiteral("Check permissions and free space there")});
    QFile::setPermissions(folder.m_path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    const auto spec = wire::toJson(record.plan.spec).dump(2) + '\n';
    if (auto written = writeAll(folder.file(QStringLiteral("job.json")), QByteArray::fromStdString(spec));
        !written)
        return core::fail(written.error());
    if (auto saved = folder.save(record); !saved)
        return core::fail(saved.error());
    return folder;
}

core::Expected<RunFolder> RunFolder::open(const QString& runs, const QString& id) {
    RunFolder folder(runs + QLatin1Char('/') + id);
    if (!core::isJobId(id) || !QFile::exists(folder.file(recordFile)))
        return core::fail({ErrorCode::Missing,
                           {},
                           QStringLiteral("open run ") + id,
                           QStringLiteral("there is no such run in ") + runs,
                           QStringLiteral("'coxswain-cli runs' lists them")});
    return folder;
}

QList<RunRecord> RunFolder::list(const QString& runs, QStringList* unreadable) {
    QList<RunRecord> records;
    for (const auto& id :
         QDir(runs).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed)) {
        if (!core::isJobId(id))
            continue;
        const auto folder = open(runs, id);
        const auto record = folder ? folder->record() : core::fail(folder.error());
        if (record)
            records.append(*record);
        else if (unreadable)
            unreadable->append(id);
    }
    std::stable_sort(records.begin(), records.end(),
                     [](const RunRecord& a, const RunRecord& b) { return a.created > b.created; });
    return records;
}

core::Expected<void> RunFolder::remove(const QString& runs, const QString& id) {
    const auto folder = open(runs, id);
    if (!folder)
        return core::fail(folder.error());
    const auto lock = folder->lock();
    if (!lock)
        return core::fail(lock.error());
    if (!QDir(folder->path()).removeRecursively())
        return core::fail({ErrorCode::Permission,
                           {},
                           QStringLiteral("delete ") + folder->path(),
                           QStringLiteral("not everything in it could be removed"),
                           {}});
    return {};
}

core::Expected<RunRecord> RunFolder::record() const {
    const auto bytes = readAll(file(recordFile));
    if (!bytes)
        return core::fail(bytes.error());
    return parseRunRecord(*bytes);
}

core::Expected<void> RunFolder::save(const RunRecord& record) const {
    return writeAll(file(recordFile), toJsonText(record));
}

core::Expected<std::shared_ptr<QLockFile>> RunFolder::lock() const {
    auto lock = std::make_shared<QLockFile>(file(QStringLiteral("lock")));
    lock->setStaleLockTime(0); // a lock is stale when its process is gone, however old it is
    if (lock->tryLock())
        return lock;
    qint64 pid = 0;
    QString host;
    QString program;
    lock->getLockInfo(&pid, &host, &program);
    return core::fail(
        {ErrorCode::Conflict,
         {},
         QStringLiteral("follow the run"),
         QStringLiteral("%1 (process %2 on %3) follows it already").arg(program).arg(pid).arg(host),
         QStringLiteral("Look at it there, or close that program first")});
}

} // namespace coxswain::job
