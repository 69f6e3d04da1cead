// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/socket.h"

#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

namespace coxswain::remote {
namespace {

using core::Error;
using core::ErrorCode;
using Addresses = std::shared_ptr<addrinfo>;

/// getaddrinfo cannot be interrupted: it runs in a thread of its own, which is left behind when it takes too
/// long.
struct Resolution {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    int status = 0;
    Addresses addresses;
};

core::Expected<Addresses> resolve(const core::HostName& host, const Limits& limits) {
    auto state = std::make_shared<Resolution>();
    std::thread([state, name = host.host.toStdString(), port = std::to_string(host.port ? host.port : 22)] {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        hints.ai_flags = AI_ADDRCONFIG;
        addrinfo* found = nullptr;
        const int status = ::getaddrinfo(name.c_str(), port.c_str(), &hints, &found);
        const std::lock_guard lock(state->mutex);
        state->status = status;
        if (found)
            state->addresses = Addresses(found, ::freeaddrinfo);
        state->done = true;
        state->changed.notify_all();
    }).detach();
    std::unique_lock lock(state->mutex);
    const QString tried = QStringLiteral("resolve the name ") + host.host;
    while (!state->done) {
        if (limits.cancel.isCancelled())
            return core::fail(
                {ErrorCode::Cancelled, host.toString(), tried, QStringLiteral("cancelled"), {}});
        if (limits.deadline.hasPassed())
            return core::fail({ErrorCode::Timeout, host.toString(), tried,
                               QStringLiteral("the name server did not answer in time"),
                               QStringLiteral("Use the node's address, or mend name resolution here")});
        state->changed.wait_for(lock, std::chrono::milliseconds(limits.deadline.left(50)));
    }
    if (state->status != 0)
        return core::fail({ErrorCode::Resolve, host.toString(), tried,
                           QString::fromLocal8Bit(::gai_strerror(state->status)),
                           QStringLiteral("Check the spelling, or use the node's address")});
    return state->addresses;
}

void setKeepalive(int socket) {
    const auto set = [socket](int level, int name, int value) {
        ::setsockopt(socket, level, name, &value, sizeof value);
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 3);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 15000);
    set(IPPROTO_TCP, TCP_NODELAY, 1);
}

/// 0, or an errno; ECANCELED when the token says so.
int connectOne(const addrinfo& address, const Limits& limits, int& socket) {
    socket =
        ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol);
    if (socket < 0)
        return errno;
    setKeepalive(socket);
    int error = ::connect(socket, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
    while (error == EINPROGRESS) {
        if (limits.cancel.isCancelled()) {
            error = ECANCELED;
        } else if (limits.deadline.hasPassed()) {
            error = ETIMEDOUT;
        } else {
            pollfd list[2] = {{socket, POLLOUT, 0}, {limits.cancel.descriptor(), POLLIN, 0}};
            if (::poll(list, 2, limits.deadline.left()) > 0 && list[0].revents != 0) {
                socklen_t size = sizeof error;
                ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
            }
        }
    }
    if (error != 0)
        ::close(socket);
    return error;
}

} // namespace

core::Expected<int> connectTo(const core::HostName& host, const Limits& limits) {
    const auto addresses = resolve(host, limits);
    if (!addresses)
        return core::fail(addresses.error());
    int error = ENOENT;
    for (const addrinfo* address = addresses->get(); address; address = address->ai_next) {
        int socket = -1;
        error = connectOne(*address, limits, socket);
        if (error == 0)
            return socket;
        if (error == ECANCELED)
            break;
    }
    const auto code = error == ECANCELED   ? ErrorCode::Cancelled
                      : error == ETIMEDOUT ? ErrorCode::Timeout
                                           : ErrorCode::Connect;
    const QString tried =
        QStringLiteral("connect to %1 port %2").arg(host.host).arg(host.port ? host.port : 22);
    return core::fail(
        {code, host.toString(), tried,
         code == ErrorCode::Cancelled ? QStringLiteral("cancelled")
                                      : QString::fromLocal8Bit(std::strerror(error)),
         QStringLiteral("Is the node switched on, is sshd running there on this port, and does a "
                        "firewall let it through?")});
}

} // namespace coxswain::remote
