// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/nodework.h"

#include "trainer/wire/layout.h"

#include <QDateTime>

namespace coxswain::job {
namespace {

using namespace std::chrono_literals;
using core::Expected;
using remote::AgentClient;
using remote::CancelToken;
using remote::HostSession;
namespace layout = wire::layout;

constexpr int sampleInterval = 1000; // milliseconds

remote::Limits soon(const CancelToken& cancel) {
    return HostSession::within(30s, cancel);
}

QString jobFolder(const QString& jobId) {
    return QLatin1StringView(layout::jobsFolder) + QLatin1Char('/') + jobId;
}

Expected<void> putMissing(AgentClient& agent, const QHash<QString, std::pair<QString, qint64>>& files,
                          const SyncInput& input, const CancelToken& cancel) {
    const auto missing = agent.missing(files.keys(), soon(cancel));
    if (!missing)
        return core::fail(missing.error());
    qint64 total = 0;
    for (const auto& digest : *missing)
        total += files.value(digest).second;
    input.progress->total = total;
    if (agent.isLocal())
        total = 0; // linked, not copied
    if (auto room = agent.requireSpace(total, soon(cancel)); !room)
        return room;
    for (const auto& digest : *missing) {
        const auto [path, size] = files.value(digest);
        // A link that moves less than this is of no use for training; a dead one is noticed long before.
        constexpr qint64 slowestBytesPerSecond = 50'000;
        const auto limits =
            HostSession::within(60s + std::chrono::seconds(size / slowestBytesPerSecond), cancel);
        if (auto sent =
                agent.put(path, digest, size, limits, [&](qint64 bytes) { input.progress->done += bytes; });
            !sent)
            return sent;
    }
    return {};
}

} // namespace

Expected<NodeContact> contactNode(HostSession& session, const CancelToken& cancel) {
    const auto agent = session.agent(cancel);
    if (!agent)
        return core::fail(agent.error());
    return NodeContact{(*agent)->greeting(), session.hostKey()};
}

Expected<core::Inventory> probeNode(HostSession& session, const CancelToken& cancel) {
    const auto agent = session.agent(cancel);
    if (!agent)
        return core::fail(agent.error());
    const auto answer = (*agent)->probe(soon(cancel));
    if (!answer)
        return core::fail(answer.error());
    return core::parseInventory(*answer);
}

Expected<void> syncNode(HostSession& session, const CancelToken& cancel, const SyncInput& input) {
    const auto connected = session.agent(cancel);
    if (!connected)
        return core::fail(connected.error());
    AgentClient& agent = **connected;
    QHash<QString, std::pair<QString, qint64>> files; // digest → path, size
    QList<remote::InstalledFile> runtime;
    for (const auto& file : input.runtime.files) {
        files.insert(file.sha256, {input.runtime.folder + QLatin1Char('/') + file.path, file.size});
        runtime.append({file.path, file.sha256, file.mode});
    }
    const auto tree = [&files](const QList<PreparedFile>& list) {
        QList<remote::InstalledFile> installed;
        for (const auto& file : list) {
            files.insert(file.sha256, {file.path, file.size});
            installed.append({file.name, file.sha256, 0600});
        }
        return installed;
    };
    const auto shards = tree(input.shards);
    const auto model = tree(input.model);
    if (auto sent = putMissing(agent, files, input, cancel); !sent)
        return sent;
    const auto limits = HostSession::within(120s, cancel);
    if (auto made =
            agent.install(QLatin1StringView(layout::runtimeFolder) + QLatin1Char('/') + input.runtime.hash,
                          runtime, limits);
        !made)
        return made;
    const QString job = jobFolder(input.jobId) + QLatin1Char('/');
    if (auto made = agent.install(job + QLatin1StringView(layout::shardsFolder), shards, limits); !made)
        return made;
    return model.isEmpty() ? core::Expected<void>()
                           : agent.install(job + QLatin1StringView(layout::modelFolder), model, limits);
}

Expected<void> prepareNode(HostSession& session, const CancelToken& cancel, const PrepareInput& input) {
    const auto connected = session.agent(cancel);
    if (!connected)
        return core::fail(connected.error());
    AgentClient& agent = **connected;
    for (const auto& file : input.files)
        if (auto written = agent.write(jobFolder(input.jobId) + QLatin1Char('/') + file.path, file.content,
                                       file.mode, soon(cancel));
            !written)
            return written;
    if (!input.publicKey.isEmpty()) {
        // Used within seconds; two days allow for any time zone. OpenSSH before 9.1 knows no "Z" here.
        const QString expires =
            QDateTime::currentDateTimeUtc().addDays(2).toString(QStringLiteral("yyyyMMdd"));
        if (auto done =
                agent.authorize(input.jobId, input.publicKey, input.headAddresses, expires, soon(cancel));
            !done)
            return done;
    }
    return agent.sample(input.jobId, input.attempt, input.node, sampleInterval, soon(cancel));
}

Expected<wire::SupervisorState> startMpirun(HostSession& session, const CancelToken& cancel,
                                            const QString& jobId, int attempt) {
    const auto agent = session.agent(cancel);
    if (!agent)
        return core::fail(agent.error());
    return (*agent)->supervise(jobId, attempt, soon(cancel));
}

Expected<void> signalMpirun(HostSession& session, const CancelToken& cancel, const QString& jobId,
                            int number) {
    const auto agent = session.agent(cancel);
    if (!agent)
        return core::fail(agent.error());
    return (*agent)->signalJob(jobId, number, soon(cancel));
}

Expected<void> killOnNode(HostSession& session, const CancelToken& cancel, const QString& jobId) {
    const auto agent = session.agent(cancel);
    if (!agent)
        return core::fail(agent.error());
    const auto left = (*agent)->killJob(jobId, soon(cancel));
    if (!left)
        return core::fail(left.error());
    if (left->isEmpty())
        return {};
    QStringList names;
    for (const auto& process : *left)
        names += QStringLiteral("%1 (%2)").arg(process.pid).arg(process.command.left(60));
    return core::fail({core::ErrorCode::Failed, session.host().toString(),
                       QStringLiteral("end every process of the run"),
                       QStringLiteral("still there: ") + names.join(QStringLiteral(", ")),
                       QStringLiteral("Look at them there: ps -fp %1").arg(left->first().pid)});
}

Expected<bool> runsOnNode(HostSession& session, const CancelToken& cancel, const QString& jobId) {
    const auto agent = session.agent(cancel);
    if (!agent)
        return core::fail(agent.error());
    const auto list = (*agent)->processes(jobId, soon(cancel));
    if (!list)
        return core::fail(list.error());
    return std::any_of(list->begin(), list->end(),
                       [](const remote::RemoteProcess& process) { return !process.isKeeper; });
}

Expected<void> cleanNode(HostSession& session, const CancelToken& cancel, const QString& jobId) {
    if (auto killed = killOnNode(session, cancel, jobId); !killed)
        return killed;
    const auto agent = session.agent(cancel);
    if (!agent)
        return core::fail(agent.error());
    return (*agent)->revoke(jobId, soon(cancel));
}

} // namespace coxswain::job
