// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/remote/agentchannel.h"
#include "trainer/wire/state.h"

#include <QList>
#include <QStringList>

namespace coxswain::remote {

/// What an agent says of itself when it starts.
struct Greeting {
    QString program; ///< absolute path of coxswain-agent there
    QString base;    ///< its base folder
    QString home, user, hostName;
    qint64 uid = -1;
};

struct RemoteFile {
    QString path; ///< relative to the base folder
    qint64 offset = 0;
    qint64 most = 1 << 20;
};

struct FileNews {
    QByteArray bytes; ///< from the offset on
    qint64 size = 0;
    bool absent = true;
};

struct RemoteProcess {
    qint64 pid = 0;
    QString command;
    bool isKeeper = false; ///< the agent's own, which ends by itself
};

struct InstalledFile {
    QString path; ///< relative to the tree's root
    QString sha256;
    int mode = 0644;
};

/// A started agent, and its requests as blocking calls (README of each:
/// cluster/agent/{store,jobs,keys,probe}.h). After an error with code Lost, Timeout, Cancelled or Protocol
/// the client can only be destroyed.
class AgentClient {
public:
    /// First contact: puts the agent there if it is not, and starts it (Note [First contact]). `timeout` is
    /// for each step: connecting, finding a place, sending the agent.
    static core::Expected<std::unique_ptr<AgentClient>> start(HostTransport& transport, const QString& host,
                                                              const QString& agentProgram,
                                                              std::chrono::milliseconds timeout,
                                                              const CancelToken& cancel);

    const Greeting& greeting() const { return m_greeting; }
    bool isLocal() const { return m_isLocal; }

    core::Expected<QByteArray> probe(const Limits& limits);
    core::Expected<void> requireSpace(qint64 bytes, const Limits& limits);
    core::Expected<QStringList> missing(const QStringList& digests, const Limits& limits);
    /// `progress` gets the bytes that were sent since the last call.
    core::Expected<void> put(const QString& file, const QString& sha256, qint64 size, const Limits& limits,
                             const std::function<void(qint64)>& progress);
    core::Expected<void> install(const QString& root, const QList<InstalledFile>& files,
                                 const Limits& limits);
    core::Expected<void> write(const QString& path, const QByteArray& content, int mode,
                               const Limits& limits);

    core::Expected<wire::SupervisorState> supervise(const QString& job, int attempt, const Limits& limits);
    core::Expected<void> sample(const QString& job, int attempt, int node, int intervalMilliseconds,
                                const Limits& limits);
    /// Answers in the order of `files`, at the latest after `waitMilliseconds`.
    core::Expected<QList<FileNews>> read(const QList<RemoteFile>& files, int waitMilliseconds,
                                         const Limits& limits);
    core::Expected<void> signalJob(const QString& job, int number, const Limits& limits);
    core::Expected<QList<RemoteProcess>> processes(const QString& job, const Limits& limits);
    core::Expected<QList<RemoteProcess>> killJob(const QString& job, const Limits& limits);
    core::Expected<void> authorize(const QString& job, const QByteArray& publicKey, const QStringList& from,
                                   const QString& expires, const Limits& limits);
    core::Expected<void> revoke(const QString& job, const Limits& limits);
    /// Bytes that were removed; an empty job means everything.
    core::Expected<qint64> clean(const QString& job, const Limits& limits);

private:
    AgentClient(std::unique_ptr<ByteStream> stream, const QString& host, bool isLocal)
        : m_channel(std::move(stream), host), m_host(host), m_isLocal(isLocal) {}
    core::Expected<nlohmann::json> ask(const char* request, nlohmann::json parameters, const Limits& limits);
    core::Expected<void> greet(const Limits& limits);
    core::Expected<QList<RemoteProcess>> processList(const char* request, const char* list,
                                                     const QString& job, const Limits& limits);

    AgentChannel m_channel;
    QString m_host;
    bool m_isLocal;
    Greeting m_greeting;
};

} // namespace coxswain::remote
