// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentdriver.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <thread>

namespace coxswain::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

int statusOf(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Only async-signal-safe calls between fork and exec: everything is prepared before.
struct Prepared {
    std::vector<std::string> strings;
    std::vector<char*> pointers;
    explicit Prepared(std::vector<std::string> list) : strings(std::move(list)) {
        for (auto& text : strings)
            pointers.push_back(text.data());
        pointers.push_back(nullptr);
    }
};

std::vector<std::string> lines(const Environment& environment) {
    std::vector<std::string> list;
    for (const auto& [name, value] : environment)
        list.push_back(name + '=' + value);
    return list;
}

} // namespace

std::string agentProgram() {
    return COXSWAIN_AGENT;
}

std::string pathWith(const QString& first) {
    return first.toStdString() + ':' + qgetenv("PATH").toStdString();
}

void writeFile(const QString& path, const QByteArray& content, int mode) {
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        throw std::runtime_error("cannot write " + path.toStdString());
    file.close();
    ::chmod(QFile::encodeName(path).constData(), static_cast<mode_t>(mode));
}

QByteArray readFile(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

int modeOf(const QString& path) {
    struct stat status {};
    return ::lstat(QFile::encodeName(path).constData(), &status) == 0 ? int(status.st_mode & 07777) : -1;
}

bool isAlive(pid_t pid) {
    // A zombie that nobody has waited for yet is not alive.
    const QByteArray state = readFile(QStringLiteral("/proc/%1/stat").arg(pid));
    const qsizetype end = state.lastIndexOf(") ");
    return end > 0 && state.mid(end + 2, 1) != "Z" && state.mid(end + 2, 1) != "X";
}

Ended runProgram(const std::vector<std::string>& argv, const Environment& environment) {
    QProcess process;
    QProcessEnvironment exact;
    for (const auto& [name, value] : environment)
        exact.insert(QString::fromStdString(name), QString::fromStdString(value));
    exact.insert(QStringLiteral("COXSWAIN_TEST"), QStringLiteral("1")); // an empty one would mean ours
    process.setProcessEnvironment(exact);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setStandardInputFile(QProcess::nullDevice());
    QStringList arguments;
    for (std::size_t i = 1; i < argv.size(); ++i)
        arguments.append(QString::fromStdString(argv[i]));
    process.start(QString::fromStdString(argv.front()), arguments);
    Ended ended;
    if (!process.waitForFinished(20000)) {
        process.kill();
        process.waitForFinished();
    }
    ended.out = process.readAll();
    ended.status =
        process.exitStatus() == QProcess::NormalExit ? process.exitCode() : 128 + process.exitCode();
    return ended;
}

AgentDriver::AgentDriver(const QString& base, const Environment& environment) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw std::runtime_error("no socket pair");
    const std::string program = agentProgram();
    Prepared argv({program, "serve", "--base", base.toStdString()});
    Prepared env(lines(environment));
    m_child = ::fork();
    if (m_child == 0) {
        ::dup2(ends[1], 0);
        ::dup2(ends[1], 1);
        ::execve(program.c_str(), argv.pointers.data(), env.pointers.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    m_socket = ends[0];
    m_greeting = readReply();
}

AgentDriver::~AgentDriver() {
    closeChannel();
    if (m_child > 0 && waitForEnd() < 0) {
        ::kill(m_child, SIGKILL);
        ::waitpid(m_child, nullptr, 0);
    }
}

AgentDriver::Reply AgentDriver::ask(const std::string& name, json fields, std::optional<std::string> data) {
    fields["request"] = name;
    send(agent::FrameKind::Request, fields.dump());
    if (data) {
        for (std::size_t at = 0; at < data->size(); at += agent::maxDataBytes)
            send(agent::FrameKind::Data, data->substr(at, agent::maxDataBytes));
        send(agent::FrameKind::EndOfData, {});
    }
    return readReply();
}

void AgentDriver::send(agent::FrameKind kind, const std::string& payload) {
    const auto header = agent::encodeHeader({kind, static_cast<std::uint32_t>(payload.size())});
    sendBytes(std::string(reinterpret_cast<const char*>(header.data()), header.size()) + payload);
}

void AgentDriver::sendBytes(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t n = ::send(m_socket, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
        if (n < 0)
            return; // the agent has gone: the reply will be null
        at += static_cast<std::size_t>(n);
    }
}

bool AgentDriver::readExactly(void* bytes, std::size_t count, Clock::time_point deadline) {
    for (char* at = static_cast<char*>(bytes); count > 0;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd wait{m_socket, POLLIN, 0};
        if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0)
            return false;
        const ssize_t n = ::read(m_socket, at, count);
        if (n <= 0)
            return false;
        at += n;
        count -= static_cast<std::size_t>(n);
    }
    return true;
}

AgentDriver::Reply AgentDriver::readReply(std::chrono::milliseconds limit) {
    const auto deadline = Clock::now() + limit;
    Reply reply;
    unsigned char bytes[agent::headerBytes];
    while (readExactly(bytes, sizeof bytes, deadline)) {
        const auto header = agent::decodeHeader(bytes);
        if (!header)
            throw std::runtime_error("the agent sent no frame of the protocol");
        std::string payload(header->length, '\0');
        if (!readExactly(payload.data(), payload.size(), deadline))
            break;
        if (header->kind == agent::FrameKind::Data) {
            reply.data.push_back(std::move(payload));
            continue;
        }
        reply.kind = header->kind;
        reply.body = json::parse(payload);
        break;
    }
    return reply;
}

void AgentDriver::closeChannel() {
    if (m_socket >= 0)
        ::close(m_socket);
    m_socket = -1;
}

int AgentDriver::waitForEnd() {
    int status = 0;
    for (const auto deadline = Clock::now() + 10s; Clock::now() < deadline; std::this_thread::sleep_for(2ms))
        if (m_child > 0 && ::waitpid(m_child, &status, WNOHANG) == m_child) {
            m_child = -1;
            return statusOf(status);
        }
    return -1;
}

} // namespace coxswain::test
