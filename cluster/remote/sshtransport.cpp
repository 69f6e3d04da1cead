// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/sshtransport.h"

#include "cluster/remote/sshsession.h"

#include <QRandomGenerator>

#include <poll.h>

namespace coxswain::remote {
namespace {

using core::ErrorCode;

class SshStream : public ByteStream {
public:
    SshStream(std::shared_ptr<SshSession> session, ssh_channel channel)
        : m_session(std::move(session)), m_channel(channel) {}
    ~SshStream() override { ssh_channel_free(m_channel); }

    core::Expected<QByteArray> read(qsizetype most, const Limits& limits) override {
        const QString tried = QStringLiteral("hear from the node");
        QByteArray bytes(most, Qt::Uninitialized);
        while (true) {
            drainErrors();
            const int n =
                ssh_channel_read_nonblocking(m_channel, bytes.data(), static_cast<std::uint32_t>(most), 0);
            if (n > 0) {
                bytes.resize(n);
                return bytes;
            }
            if (n == SSH_ERROR)
                return core::fail(m_session->error(ErrorCode::Lost, tried));
            if (n == SSH_EOF || ssh_channel_is_eof(m_channel) || ssh_channel_is_closed(m_channel))
                return QByteArray();
            if (auto waited = m_session->wait(tried, limits); !waited)
                return core::fail(waited.error());
        }
    }

    core::Expected<void> write(const char* data, qsizetype bytes, const Limits& limits) override {
        const QString tried = QStringLiteral("send to the node");
        constexpr qsizetype piece = 256 * 1024;
        while (bytes > 0) {
            // What libssh has taken but not sent waits in its memory: send it before giving it more.
            const int flushed = ssh_blocking_flush(m_session->handle(), 0);
            const bool room = flushed != SSH_AGAIN && ssh_channel_window_size(m_channel) > 0;
            const int n =
                room ? ssh_channel_write(m_channel, data, static_cast<std::uint32_t>(std::min(bytes, piece)))
                     : 0;
            if (n == SSH_ERROR)
                return core::fail(m_session->error(ErrorCode::Lost, tried));
            data += std::max(n, 0);
            bytes -= std::max(n, 0);
            if (n <= 0) {
                if (auto waited = m_session->wait(tried, limits); !waited)
                    return waited;
            }
        }
        return {};
    }

    QByteArray errorOutput() override {
        drainErrors();
        return m_errors;
    }

private:
    void drainErrors() {
        char block[4096];
        int n = 0;
        while ((n = ssh_channel_read_nonblocking(m_channel, block, sizeof block, 1)) > 0)
            if (m_errors.size() < 65536)
                m_errors.append(block, n);
    }

    std::shared_ptr<SshSession> m_session;
    ssh_channel m_channel;
    QByteArray m_errors;
};

} // namespace

SshTransport::SshTransport(core::HostName host, const RemoteOptions& options)
    : m_host(std::move(host)), m_options(options) {}

SshTransport::~SshTransport() = default;

void SshTransport::disconnect() {
    m_session.reset();
}

core::Expected<void> SshTransport::connect(const Limits& limits) {
    constexpr int tries = 6;
    auto pause = std::chrono::milliseconds(100);
    for (int i = 1;; ++i, pause *= 2) {
        auto session = std::make_shared<SshSession>(m_host, m_options);
        auto key = session->open(limits);
        if (key) {
            m_hostKey = *key;
            m_session = std::move(session);
            return {};
        }
        if (!session->wasTurnedAway() || i == tries)
            return core::fail(key.error());
        // Not all at the same moment again: half to one and a half of the pause.
        const double share = 0.5 + QRandomGenerator::global()->generateDouble();
        pollfd cancelled{limits.cancel.descriptor(), POLLIN, 0};
        ::poll(&cancelled, 1,
               limits.deadline.left(static_cast<int>(share * static_cast<double>(pause.count()))));
    }
}

core::Expected<std::unique_ptr<ByteStream>> SshTransport::start(const QByteArray& commandLine,
                                                                const Limits& limits) {
    if (!m_session) {
        if (auto connected = connect(limits); !connected)
            return core::fail(connected.error());
    }
    // Afresh: a person may have thought about the host key for a while.
    const Limits rest{Deadline(m_options.connectTimeout), limits.cancel};
    const QString tried = QStringLiteral("start a command");
    ssh_channel channel = ssh_channel_new(m_session->handle());
    auto stream = std::make_unique<SshStream>(m_session, channel); // frees the channel whatever happens
    auto status = m_session->run(tried, rest, SSH_AGAIN, [&] { return ssh_channel_open_session(channel); });
    if (status && *status == SSH_OK)
        status = m_session->run(tried, rest, SSH_AGAIN,
                                [&] { return ssh_channel_request_exec(channel, commandLine.constData()); });
    if (!status || *status != SSH_OK) {
        const core::Error error = status ? m_session->error(ErrorCode::Lost, tried) : status.error();
        m_session.reset();
        return core::fail(error);
    }
    return stream;
}

} // namespace coxswain::remote
