// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/runs.h"

#include "cluster/core/launchplan.h"
#include "cluster/job/inputs.h"
#include "cluster/job/liverun.h"
#include "cluster/job/runtimebundle.h"

#include <QFileInfo>

namespace coxswain::job {
namespace {

using core::ErrorCode;

/// This machine is the head when it takes part: the others are reached from it, it is not reached from them.
QList<core::HostName> headFirst(QList<core::HostName> hosts) {
    if (hosts.isEmpty())
        hosts.append({{}, QStringLiteral("local"), 0});
    std::stable_partition(hosts.begin(), hosts.end(),
                          [](const core::HostName& host) { return host.isLocal(); });
    return hosts;
}

core::Expected<void> requireInputs(const wire::JobSpec& spec, const QString& jobFolder) {
    const QString path = desktopPath(spec.data.source, jobFolder);
    const QFileInfo info(path);
    if (spec.data.source.at != wire::Input::At::Desktop)
        return core::fail({ErrorCode::BadInput,
                           {},
                           QStringLiteral("use data.source"),
                           QStringLiteral("it is not on the desktop"),
                           QStringLiteral("Name a file of this machine; Coxswain splits and sends it")});
    if (!info.isFile())
        return core::fail(
            {ErrorCode::Missing,
             {},
             QStringLiteral("read data.source ") + path,
             info.exists() ? QStringLiteral("it is not a file") : QStringLiteral("there is no such file"),
             QStringLiteral("Name a text file with one document a line")});
    const QString model = spec.model.folder && spec.model.folder->at == wire::Input::At::Desktop
                              ? desktopPath(*spec.model.folder, jobFolder) + QStringLiteral("/config.json")
                              : QString();
    if (!model.isEmpty() && !QFileInfo(model).isFile())
        return core::fail({ErrorCode::Missing,
                           {},
                           QStringLiteral("read model.folder"),
                           model + QStringLiteral(" is not there"),
                           QStringLiteral("Name a Hugging Face folder: config.json and *.safetensors")});
    return {};
}

} // namespace

Runs::Runs(const Paths& paths, remote::HostPool& pool, QObject* parent)
    : QObject(parent), m_paths(paths), m_pool(pool) {}

QList<RunRecord> Runs::list() const {
    return RunFolder::list(m_paths.runs);
}

core::Expected<std::unique_ptr<Run>> Runs::start(const wire::JobSpec& spec, const QString& jobFolder,
                                                 const QList<core::HostName>& hosts) {
    if (auto there = requireInputs(spec, jobFolder); !there)
        return core::fail(there.error());
    RunRecord record;
    record.id = core::makeJobId();
    record.name = QString::fromStdString(spec.name);
    record.created = QDateTime::currentDateTimeUtc();
    record.plan.spec = spec;
    record.plan.spec.id = record.id.toStdString();
    // History's "run again" must find data and model wherever the job file was.
    record.plan.spec.data.source.path = desktopPath(spec.data.source, jobFolder).toStdString();
    if (auto& model = record.plan.spec.model.folder; model && model->at == wire::Input::At::Desktop)
        model->path = desktopPath(*model, jobFolder).toStdString();
    for (const auto& host : headFirst(hosts)) {
        core::PlannedNode node;
        node.host = host;
        node.index = static_cast<int>(record.plan.nodes.size());
        record.plan.nodes.append(node);
    }
    auto folder = RunFolder::create(m_paths.runs, record);
    if (!folder)
        return core::fail(folder.error());
    auto lock = folder->lock();
    auto store = Run::openStore(*folder);
    if (!lock || !store)
        return core::fail(lock ? store.error() : lock.error());
    RunSnapshot snapshot;
    snapshot.record = std::move(record);
    auto run = std::make_unique<LiveRun>(m_paths, m_pool, *folder, std::move(snapshot), std::move(*store),
                                         *lock, jobFolder);
    connect(run.get(), &Run::ended, this, &Runs::changed);
    run->start();
    emit changed();
    return run;
}

core::Expected<std::unique_ptr<Run>> Runs::attach(const QString& id) {
    auto folder = RunFolder::open(m_paths.runs, id);
    if (!folder)
        return core::fail(folder.error());
    auto record = folder->record();
    if (!record)
        return core::fail(record.error());
    if (record->ended.isValid())
        return Run::openFolder(*folder);
    auto lock = folder->lock();
    if (!lock)
        return core::fail(lock.error());
    if (!record->launched) { // its program died before anything ran
        record->outcome = core::Outcome::Failed;
        record->ended = QDateTime::currentDateTimeUtc();
        record->errors.append({ErrorCode::Failed,
                               {},
                               QStringLiteral("run the job"),
                               QStringLiteral("the program that started it ended before the launch"),
                               {}});
        if (auto saved = folder->save(*record); !saved)
            return core::fail(saved.error());
        emit changed();
        return Run::openFolder(*folder);
    }
    auto store = Run::openStore(*folder);
    if (!store)
        return core::fail(store.error());
    if (auto filled = Run::fillStore(*folder, **store, nullptr); !filled)
        return core::fail(filled.error());
    RunSnapshot snapshot;
    snapshot.record = std::move(*record);
    snapshot.record.errors.clear();
    auto run = std::make_unique<LiveRun>(m_paths, m_pool, *folder, std::move(snapshot), std::move(*store),
                                         *lock, folder->path());
    connect(run.get(), &Run::ended, this, &Runs::changed);
    run->attach();
    return run;
}

core::Expected<std::unique_ptr<Run>> Runs::open(const QString& id) {
    const auto folder = RunFolder::open(m_paths.runs, id);
    if (!folder)
        return core::fail(folder.error());
    return Run::openFolder(*folder);
}

core::Expected<void> Runs::remove(const QString& id) {
    auto removed = RunFolder::remove(m_paths.runs, id);
    if (removed)
        emit changed();
    return removed;
}

core::Expected<SyncEstimate> Runs::estimate(const wire::JobSpec& spec, const QString& jobFolder,
                                            const QString& runtime) const {
    if (auto there = requireInputs(spec, jobFolder); !there)
        return core::fail(there.error());
    const auto bundle = readRuntimeBundle(m_paths.runtimes, runtime);
    if (!bundle)
        return core::fail(bundle.error());
    return SyncEstimate{bundle->bytes(), QFileInfo(desktopPath(spec.data.source, jobFolder)).size()};
}

} // namespace coxswain::job
