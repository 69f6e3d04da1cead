// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/localtransport.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace coxswain::remote {
namespace {

using core::ErrorCode;

core::Error systemError(ErrorCode code, const char* tried) {
    return {code,
            QStringLiteral("local"),
            QString::fromLatin1(tried),
            QString::fromLocal8Bit(std::strerror(errno)),
            {}};
}

/// A child process on a socket pair (its input and output) and a pipe (its errors).
class LocalStream : public ByteStream {
public:
    LocalStream(pid_t child, int socket, int errors) : m_child(child), m_socket(socket), m_errors(errors) {}
    ~LocalStream() override {
        ::close(m_socket);
        ::close(m_errors);
        for (int i = 0; i < 100; ++i) { // it ends by itself when its input is closed
            if (::waitpid(m_child, nullptr, WNOHANG) != 0)
                return;
            ::usleep(10'000);
        }
        ::kill(m_child, SIGKILL);
        ::waitpid(m_child, nullptr, 0);
    }

    core::Expected<QByteArray> read(qsizetype most, const Limits& limits) override {
        if (auto ready = wait(POLLIN, limits); !ready)
            return core::fail(ready.error());
        QByteArray bytes(most, Qt::Uninitialized);
        const ssize_t n = ::recv(m_socket, bytes.data(), static_cast<std::size_t>(most), 0);
        if (n < 0 && errno != ECONNRESET)
            return core::fail(systemError(ErrorCode::Lost, "read from the agent"));
        bytes.resize(std::max<ssize_t>(n, 0));
        return bytes;
    }

    core::Expected<void> write(const char* data, qsizetype bytes, const Limits& limits) override {
        while (bytes > 0) {
            if (auto ready = wait(POLLOUT, limits); !ready)
                return ready;
            const ssize_t n =
                ::send(m_socket, data, static_cast<std::size_t>(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n < 0 && errno != EAGAIN && errno != EINTR)
                return core::fail(systemError(ErrorCode::Lost, "write to the agent"));
            data += std::max<ssize_t>(n, 0);
            bytes -= std::max<ssize_t>(n, 0);
        }
        return {};
    }

    QByteArray errorOutput() override {
        char block[4096];
        ssize_t n = 0;
        while ((n = ::read(m_errors, block, sizeof block)) > 0)
            if (m_errorText.size() < 65536)
                m_errorText.append(block, n);
        return m_errorText;
    }

private:
    core::Expected<void> wait(short events, const Limits& limits) {
        while (true) {
            if (limits.cancel.isCancelled())
                return core::fail(
                    {ErrorCode::Cancelled, QStringLiteral("local"), {}, QStringLiteral("cancelled"), {}});
            if (limits.deadline.hasPassed())
                return core::fail({ErrorCode::Timeout,
                                   QStringLiteral("local"),
                                   QStringLiteral("hear from the agent"),
                                   QStringLiteral("no answer in time"),
                                   {}});
            pollfd list[2] = {{m_socket, events, 0}, {limits.cancel.descriptor(), POLLIN, 0}};
            if (::poll(list, 2, limits.deadline.left()) > 0 && list[0].revents != 0)
                return {};
        }
    }

    pid_t m_child;
    int m_socket;
    int m_errors;
    QByteArray m_errorText;
};

} // namespace

core::Expected<std::unique_ptr<ByteStream>> LocalTransport::start(const QByteArray& commandLine,
                                                                  const Limits&) {
    int sockets[2];
    int errors[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return core::fail(systemError(ErrorCode::Failed, "start a shell"));
    if (::pipe2(errors, O_CLOEXEC | O_NONBLOCK) != 0) {
        ::close(sockets[0]);
        ::close(sockets[1]);
        return core::fail(systemError(ErrorCode::Failed, "start a shell"));
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::setsid(); // Ctrl-C in the terminal is for the command line, not for its helper
        ::dup2(sockets[1], 0);
        ::dup2(sockets[1], 1);
        ::dup2(errors[1], 2);
        ::execl("/bin/sh", "sh", "-c", commandLine.constData(), nullptr);
        ::_exit(127);
    }
    ::close(sockets[1]);
    ::close(errors[1]);
    if (child < 0)
        return core::fail(systemError(ErrorCode::Failed, "start a shell"));
    return std::make_unique<LocalStream>(child, sockets[0], errors[0]);
}

} // namespace coxswain::remote
