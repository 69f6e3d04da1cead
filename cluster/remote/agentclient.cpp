// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/agentclient.h"

#include "cluster/remote/firstcontact.h"
#include "trainer/wire/sha256.h"

#include <QFile>
#include <QRandomGenerator>

namespace coxswain::remote {
namespace {

using core::Error;
using core::ErrorCode;
using nlohmann::json;

/// More than this before the nonce is not a banner.
constexpr qsizetype maxNoise = 1 << 20;

QString textIn(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string()
               ? QString::fromStdString(found->get_ref<const std::string&>())
               : QString();
}

qint64 numberIn(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number_integer() ? found->get<qint64>() : 0;
}

const json& listIn(const json& object, const char* name) {
    static const json none = json::array();
    const auto found = object.find(name);
    return found != object.end() && found->is_array() ? *found : none;
}

Error placeError(const FirstAnswer& answer, const QString& host) {
    const QString detail = QString::fromUtf8(answer.detail);
    if (answer.kind == FirstAnswer::None)
        return {
            ErrorCode::NoPlace, host, QStringLiteral("find a place for Coxswain's files"), detail,
            QStringLiteral("Give this user a home folder that is writable, not full and not mounted noexec")};
    return {ErrorCode::NoSpace, host, QStringLiteral("put the agent on the node"), detail,
            QStringLiteral("Free space there")};
}

/// Reads until the next answer of first contact.
core::Expected<FirstAnswer> nextAnswer(ByteStream& stream, QByteArray& received, const QByteArray& nonce,
                                       const QString& host, const Limits& limits) {
    while (true) {
        if (auto answer = takeFirstAnswer(received, nonce))
            return *answer;
        const auto bytes = stream.read(65536, limits);
        if (!bytes)
            return core::fail(bytes.error());
        received += *bytes;
        if (!bytes->isEmpty() && received.size() <= maxNoise)
            continue;
        const QString said =
            QString::fromUtf8(received.right(500) + stream.errorOutput().right(500)).trimmed();
        return core::fail(
            {ErrorCode::NoShell, host, QStringLiteral("get an answer from the login shell"),
             said.isEmpty() ? QStringLiteral("it ended without a word") : QStringLiteral("it said: ") + said,
             QStringLiteral("Does 'ssh %1 /bin/sh -c :' work, and do the shell's start-up files return?")
                 .arg(host)});
    }
}

} // namespace

core::Expected<std::unique_ptr<AgentClient>> AgentClient::start(HostTransport& transport, const QString& host,
                                                                const QString& agentProgram,
                                                                std::chrono::milliseconds timeout,
                                                                const CancelToken& cancel) {
    QFile file(agentProgram);
    if (!file.open(QIODevice::ReadOnly))
        return core::fail({ErrorCode::Missing,
                           {},
                           QStringLiteral("read ") + agentProgram,
                           file.errorString(),
                           QStringLiteral("Build the target coxswain-agent")});
    const QByteArray program = file.readAll();
    const auto digest = QByteArray::fromStdString(
        wire::sha256Hex({program.constData(), static_cast<std::size_t>(program.size())}));
    const QByteArray nonce = "coxswain" + QByteArray::number(QRandomGenerator::system()->generate64(), 16);
    auto stream =
        transport.start(firstContactLine(nonce, digest, program.size()), {Deadline(timeout), cancel});
    if (!stream)
        return core::fail(stream.error());
    Limits limits{Deadline(timeout), cancel};
    QByteArray received;
    auto answer = nextAnswer(**stream, received, nonce, host, limits);
    if (!answer)
        return core::fail(answer.error());
    const bool placed = answer->kind == FirstAnswer::Have || answer->kind == FirstAnswer::Need;
    if (placed && answer->system != "Linux x86_64")
        return core::fail({ErrorCode::Missing, host, QStringLiteral("run the agent there"),
                           QStringLiteral("the node is \"%1\", the agent is built for \"Linux x86_64\"")
                               .arg(QString::fromUtf8(answer->system.left(100))),
                           QStringLiteral("Use nodes of that kind")});
    if (answer->kind == FirstAnswer::Need) {
        if (auto sent = (*stream)->write(program.constData(), program.size(), limits); !sent)
            return core::fail(sent.error());
        limits.deadline = Deadline(timeout);
        answer = nextAnswer(**stream, received, nonce, host, limits);
        if (!answer)
            return core::fail(answer.error());
    }
    if (answer->kind != FirstAnswer::Have && answer->kind != FirstAnswer::Go)
        return core::fail(placeError(*answer, host));
    std::unique_ptr<AgentClient> client(new AgentClient(std::move(*stream), host, transport.isLocal()));
    client->m_channel.pushBack(std::move(received));
    if (auto greeted = client->greet(limits); !greeted)
        return core::fail(greeted.error());
    return client;
}

core::Expected<void> AgentClient::greet(const Limits& limits) {
    const auto hello = m_channel.readAnswer(limits);
    if (!hello)
        return core::fail(hello.error());
    if (numberIn(*hello, "protocol") != agent::protocolVersion)
        return core::fail({ErrorCode::Protocol,
                           m_host,
                           QStringLiteral("talk to the agent"),
                           QStringLiteral("it speaks another version of the protocol"),
                           {}});
    m_greeting = {textIn(*hello, "program"), textIn(*hello, "base"),     textIn(*hello, "home"),
                  textIn(*hello, "user"),    textIn(*hello, "hostname"), numberIn(*hello, "uid")};
    return {};
}

core::Expected<json> AgentClient::ask(const char* request, json parameters, const Limits& limits) {
    if (!parameters.is_object())
        parameters = json::object();
    parameters["request"] = request;
    if (auto sent = m_channel.sendRequest(parameters, limits); !sent)
        return core::fail(sent.error());
    return m_channel.readAnswer(limits);
}

core::Expected<QByteArray> AgentClient::probe(const Limits& limits) {
    const auto answer = ask("probe", {}, limits);
    if (!answer)
        return core::fail(answer.error());
    return QByteArray::fromStdString(answer->dump(-1, ' ', false, json::error_handler_t::replace));
}

core::Expected<void> AgentClient::requireSpace(qint64 bytes, const Limits& limits) {
    return ask("space", {{"bytes", bytes}}, limits).map([](const json&) {});
}

core::Expected<QStringList> AgentClient::missing(const QStringList& digests, const Limits& limits) {
    json list = json::array();
    for (const auto& digest : digests)
        list.push_back(digest.toStdString());
    const auto answer = ask("missing", {{"digests", std::move(list)}}, limits);
    if (!answer)
        return core::fail(answer.error());
    QStringList missing;
    for (const auto& digest : listIn(*answer, "missing"))
        if (digest.is_string())
            missing += QString::fromStdString(digest.get<std::string>());
    return missing;
}

core::Expected<void> AgentClient::put(const QString& path, const QString& sha256, qint64 size,
                                      const Limits& limits, const std::function<void(qint64)>& progress) {
    json request = {{"request", "put"}, {"digest", sha256.toStdString()}, {"size", size}};
    if (m_isLocal) {
        request["file"] = path.toStdString();
        return ask("put", std::move(request), limits).map([&](const json&) { progress(size); });
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() != size)
        return core::fail({ErrorCode::Damaged,
                           {},
                           QStringLiteral("read ") + path,
                           file.isOpen() ? QStringLiteral("its size has changed") : file.errorString(),
                           {}});
    if (auto sent = m_channel.sendRequest(request, limits); !sent)
        return sent;
    QByteArray block;
    while (!(block = file.read(static_cast<qint64>(agent::maxDataBytes))).isEmpty()) {
        if (auto sent = m_channel.sendData(block, limits); !sent)
            return sent;
        progress(block.size());
    }
    if (auto sent = m_channel.sendEndOfData(limits); !sent)
        return sent;
    return m_channel.readAnswer(limits).map([](const json&) {});
}

core::Expected<void> AgentClient::install(const QString& root, const QList<InstalledFile>& files,
                                          const Limits& limits) {
    json list = json::array();
    for (const auto& file : files)
        list.push_back(
            {{"path", file.path.toStdString()}, {"digest", file.sha256.toStdString()}, {"mode", file.mode}});
    return ask("install", {{"root", root.toStdString()}, {"files", std::move(list)}}, limits)
        .map([](const json&) {});
}

core::Expected<void> AgentClient::write(const QString& path, const QByteArray& content, int mode,
                                        const Limits& limits) {
    const json request = {{"request", "write"}, {"path", path.toStdString()}, {"mode", mode}};
    if (auto sent = m_channel.sendRequest(request, limits); !sent)
        return sent;
    if (auto sent = m_channel.sendData(content, limits); !sent)
        return sent;
    if (auto sent = m_channel.sendEndOfData(limits); !sent)
        return sent;
    return m_channel.readAnswer(limits).map([](const json&) {});
}

core::Expected<wire::SupervisorState> AgentClient::supervise(const QString& job, int attempt,
                                                             const Limits& limits) {
    const auto answer = ask("supervise", {{"job", job.toStdString()}, {"attempt", attempt}}, limits);
    if (!answer)
        return core::fail(answer.error());
    const auto state = wire::parseSupervisorState(textIn(*answer, "state").toStdString());
    if (!state)
        return core::fail({ErrorCode::Protocol,
                           m_host,
                           QStringLiteral("read the supervisor's state"),
                           QString::fromStdString(state.error().text()),
                           {}});
    return *state;
}

core::Expected<void> AgentClient::sample(const QString& job, int attempt, int node, int intervalMilliseconds,
                                         const Limits& limits) {
    return ask("sample",
               {{"job", job.toStdString()},
                {"attempt", attempt},
                {"node", node},
                {"interval_ms", intervalMilliseconds}},
               limits)
        .map([](const json&) {});
}

core::Expected<QList<FileNews>> AgentClient::read(const QList<RemoteFile>& files, int waitMilliseconds,
                                                  const Limits& limits) {
    json list = json::array();
    for (const auto& file : files)
        list.push_back({{"path", file.path.toStdString()}, {"offset", file.offset}, {"max", file.most}});
    if (auto sent = m_channel.sendRequest(
            {{"request", "read"}, {"files", std::move(list)}, {"wait_ms", waitMilliseconds}}, limits);
        !sent)
        return core::fail(sent.error());
    qint64 allowed = 0;
    for (const auto& file : files)
        allowed += file.most;
    QByteArray data;
    const auto answer = m_channel.readAnswer(limits, [&](const QByteArray& bytes) {
        if (data.size() + bytes.size() <= allowed)
            data += bytes;
    });
    if (!answer)
        return core::fail(answer.error());
    const json& described = listIn(*answer, "files");
    QList<FileNews> news(files.size());
    qsizetype at = 0;
    for (qsizetype i = 0; i < news.size(); ++i) {
        const json entry =
            static_cast<std::size_t>(i) < described.size() ? described[static_cast<std::size_t>(i)] : json();
        const qint64 bytes = entry.is_object() ? numberIn(entry, "bytes") : -1;
        if (bytes < 0 || bytes > data.size() - at)
            return core::fail({ErrorCode::Protocol,
                               m_host,
                               QStringLiteral("follow the job's files"),
                               QStringLiteral("the agent's account does not match its data"),
                               {}});
        news[i] = {data.mid(at, bytes), numberIn(entry, "size"),
                   entry.value("absent", json(true)) == json(true)};
        at += bytes;
    }
    return news;
}

core::Expected<void> AgentClient::signalJob(const QString& job, int number, const Limits& limits) {
    return ask("signal", {{"job", job.toStdString()}, {"signal", number}}, limits).map([](const json&) {});
}

core::Expected<QList<RemoteProcess>> AgentClient::processList(const char* request, const char* list,
                                                              const QString& job, const Limits& limits) {
    const auto answer = ask(request, {{"job", job.toStdString()}}, limits);
    if (!answer)
        return core::fail(answer.error());
    QList<RemoteProcess> processes;
    for (const auto& entry : listIn(*answer, list))
        if (entry.is_object())
            processes.append({numberIn(entry, "pid"), textIn(entry, "command").left(500),
                              entry.value("keeper", json(false)) == json(true)});
    return processes;
}

core::Expected<QList<RemoteProcess>> AgentClient::processes(const QString& job, const Limits& limits) {
    return processList("processes", "processes", job, limits);
}

core::Expected<QList<RemoteProcess>> AgentClient::killJob(const QString& job, const Limits& limits) {
    return processList("kill", "left", job, limits);
}

core::Expected<void> AgentClient::authorize(const QString& job, const QByteArray& publicKey,
                                            const QStringList& from, const QString& expires,
                                            const Limits& limits) {
    json addresses = json::array();
    for (const auto& address : from)
        addresses.push_back(address.toStdString());
    return ask("authorize",
               {{"job", job.toStdString()},
                {"public_key", publicKey.toStdString()},
                {"from", std::move(addresses)},
                {"expires", expires.toStdString()}},
               limits)
        .map([](const json&) {});
}

core::Expected<void> AgentClient::revoke(const QString& job, const Limits& limits) {
    return ask("revoke", {{"job", job.toStdString()}}, limits).map([](const json&) {});
}

core::Expected<qint64> AgentClient::clean(const QString& job, const Limits& limits) {
    json parameters = json::object();
    if (!job.isEmpty())
        parameters["job"] = job.toStdString();
    return ask("clean", std::move(parameters), limits).map([](const json& answer) {
        return numberIn(answer, "removed");
    });
}

} // namespace coxswain::remote
