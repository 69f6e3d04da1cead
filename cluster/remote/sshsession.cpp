// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/sshsession.h"

#include "cluster/remote/socket.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

namespace coxswain::remote {
namespace {

using core::ErrorCode;

/// AES in hardware comes first: libssh's own first choice moves half as much.
constexpr const char* ciphers = "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,"
                                "aes256-ctr,aes192-ctr,aes128-ctr";

constexpr const char* turnedAway =
    "The server closed the connection while it began (MaxStartups, fail2ban, or not an "
    "SSH server on this port?)";

int onCancel(socket_t, int, void*) {
    return 0; // the poll has woken up: that is all
}

QList<core::KnownHostLine> readKnownHosts(const RemoteOptions& options) {
    QList<core::KnownHostLine> lines;
    for (const QString& name : QStringList(options.knownHostsFile) + options.moreKnownHosts) {
        QFile file(name);
        if (file.open(QIODevice::ReadOnly))
            lines += core::parseKnownHosts(file.readAll(), name);
    }
    return lines;
}

/// Appends under a lock, so that several workers and programs may accept keys at the same time.
core::Expected<void> remember(const QString& name, const core::HostName& host, const core::HostKey& key) {
    QDir().mkpath(QFileInfo(name).path());
    QFile file(name);
    bool good = file.open(QIODevice::ReadWrite | QIODevice::Append) && ::flock(file.handle(), LOCK_EX) == 0;
    if (good) {
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
        char last = '\n';
        if (file.size() > 0 && file.seek(file.size() - 1))
            file.getChar(&last);
        const QByteArray line =
            (last == '\n' ? QByteArray() : QByteArray("\n")) + core::knownHostsLine(host, key);
        good = file.write(line) == line.size() && file.flush();
    }
    if (!good)
        return core::fail({ErrorCode::Permission,
                           host.toString(),
                           QStringLiteral("write the accepted key to ") + name,
                           file.errorString(),
                           {}});
    return {};
}

} // namespace

SshSession::SshSession(core::HostName host, const RemoteOptions& options)
    : m_host(std::move(host)), m_options(options), m_session(ssh_new()), m_event(ssh_event_new()) {}

SshSession::~SshSession() {
    ssh_event_remove_session(m_event, m_session);
    ssh_event_free(m_event);
    // libssh leaves a socket that it was given open, unless it has closed it after an error.
    const int socket = ssh_get_fd(m_session);
    ssh_disconnect(m_session);
    if (socket >= 0)
        ::close(socket);
    ssh_free(m_session);
}

core::Error SshSession::error(ErrorCode code, const QString& tried, const QString& fix) const {
    return {code, m_host.toString(), tried, QString::fromUtf8(ssh_get_error(m_session)), fix};
}

core::Expected<void> SshSession::wait(const QString& tried, const Limits& limits) {
    if (limits.cancel.isCancelled())
        return core::fail({ErrorCode::Cancelled, m_host.toString(), tried, QStringLiteral("cancelled"), {}});
    if (limits.deadline.hasPassed())
        return core::fail({ErrorCode::Timeout, m_host.toString(), tried, QStringLiteral("no answer in time"),
                           QStringLiteral("The node or the network may be overloaded, or the cable pulled")});
    ssh_event_add_fd(m_event, limits.cancel.descriptor(), POLLIN, onCancel, nullptr);
    const int status = ssh_event_dopoll(m_event, limits.deadline.left(1000));
    ssh_event_remove_fd(m_event, limits.cancel.descriptor());
    if (status == SSH_ERROR || !ssh_is_connected(m_session))
        return core::fail(error(ErrorCode::Lost, tried));
    return {};
}

core::Expected<core::HostKey> SshSession::open(const Limits& limits) {
    const auto socket = connectTo(m_host, limits);
    if (!socket)
        return core::fail(socket.error());
    const int port = m_host.port ? m_host.port : 22;
    const int off = 0;
    const QByteArray name = m_host.host.toUtf8();
    const QByteArray user = m_host.user.toUtf8();
    const QByteArray keyTypes =
        core::hostKeyAlgorithms(readKnownHosts(m_options), m_host).join(u',').toLatin1();
    ssh_options_set(m_session, SSH_OPTIONS_PROCESS_CONFIG, &off);
    ssh_options_set(m_session, SSH_OPTIONS_HOST, name.constData());
    ssh_options_set(m_session, SSH_OPTIONS_PORT, &port);
    if (!user.isEmpty())
        ssh_options_set(m_session, SSH_OPTIONS_USER, user.constData());
    ssh_options_set(m_session, SSH_OPTIONS_FD, &*socket);
    ssh_options_set(m_session, SSH_OPTIONS_CIPHERS_C_S, ciphers);
    ssh_options_set(m_session, SSH_OPTIONS_CIPHERS_S_C, ciphers);
    ssh_options_set(m_session, SSH_OPTIONS_HOSTKEYS, keyTypes.constData());
    ssh_set_blocking(m_session, 0);
    const QString tried = QStringLiteral("open an SSH connection");
    auto status = ssh_connect(m_session); // makes the socket known to the event loop
    ssh_event_add_session(m_event, m_session);
    while (status == SSH_AGAIN) {
        if (auto waited = wait(tried, limits); !waited) {
            core::Error lost = waited.error();
            m_wasTurnedAway = lost.code == ErrorCode::Lost;
            if (m_wasTurnedAway)
                lost.fix = QString::fromLatin1(turnedAway);
            return core::fail(lost);
        }
        status = ssh_connect(m_session);
    }
    if (status != SSH_OK) {
        m_wasTurnedAway = true;
        return core::fail(error(ErrorCode::Lost, tried, QString::fromLatin1(turnedAway)));
    }
    auto key = verifyHostKey(limits);
    if (!key)
        return key;
    // Afresh: a person may have thought about the key for a while.
    if (auto in = logIn({Deadline(m_options.connectTimeout), limits.cancel}); !in)
        return core::fail(in.error());
    return key;
}

core::Expected<core::HostKey> SshSession::verifyHostKey(const Limits& limits) {
    ssh_key raw = nullptr;
    char* base64 = nullptr;
    const bool good = ssh_get_server_publickey(m_session, &raw) == SSH_OK &&
                      ssh_pki_export_pubkey_base64(raw, &base64) == SSH_OK;
    core::HostKey key;
    if (good) {
        key.type = ssh_key_type_to_char(ssh_key_type(raw));
        key.blob = QByteArray::fromBase64(base64);
        // The blob begins with its type, and for ECDSA only that names the curve.
        const auto length = key.blob.size() > 4 ? static_cast<unsigned char>(key.blob[3]) : 0;
        key.type = key.blob.mid(4, length);
    }
    ssh_string_free_char(base64);
    ssh_key_free(raw);
    if (!good)
        return core::fail(error(ErrorCode::Protocol, QStringLiteral("read the host key")));
    const auto verdict = core::judgeHostKey(readKnownHosts(m_options), m_host, key);
    if (verdict.kind == core::HostKeyVerdict::Known)
        return key;
    const bool accepted =
        verdict.kind == core::HostKeyVerdict::Unknown && m_options.prompt &&
        m_options.prompt({m_host, QString::fromLatin1(key.type), key.fingerprint()}, limits.cancel);
    if (!accepted)
        return core::fail(core::hostKeyError(verdict, m_host, key, m_options.knownHostsFile));
    if (auto kept = remember(m_options.knownHostsFile, m_host, key); !kept)
        return core::fail(kept.error());
    return key;
}

core::Expected<bool> SshSession::tryKeyFile(const QString& file, const Limits& limits) {
    ssh_key key = nullptr;
    const QByteArray name = QFile::encodeName(file);
    const auto refuse = [](const char*, char*, std::size_t, int, int, void*) { return -1; }; // asks nobody
    if (ssh_pki_import_privkey_file(name.constData(), nullptr, refuse, nullptr, &key) != SSH_OK) {
        m_keysTried += file + QStringLiteral(" (cannot be read, or has a passphrase: add it to ssh-agent)");
        return false;
    }
    m_keysTried += file;
    const auto status = run(QStringLiteral("log in with the key ") + file, limits, SSH_AUTH_AGAIN,
                            [&] { return ssh_userauth_publickey(m_session, nullptr, key); });
    ssh_key_free(key);
    if (!status)
        return core::fail(status.error());
    return *status == SSH_AUTH_SUCCESS;
}

core::Expected<void> SshSession::logIn(const Limits& limits) {
    const auto none = run(QStringLiteral("log in"), limits, SSH_AUTH_AGAIN,
                          [&] { return ssh_userauth_none(m_session, nullptr); });
    if (!none)
        return core::fail(none.error());
    if (*none == SSH_AUTH_SUCCESS)
        return {};
    for (const QString& file : m_options.identityFiles) {
        const auto in = tryKeyFile(file, limits);
        if (!in || *in)
            return in ? core::Expected<void>() : core::fail(in.error());
    }
    if (!qEnvironmentVariableIsEmpty("SSH_AUTH_SOCK")) {
        m_keysTried += QStringLiteral("the keys of ssh-agent");
        const auto in = run(QStringLiteral("log in with ssh-agent"), limits, SSH_AUTH_AGAIN,
                            [&] { return ssh_userauth_agent(m_session, nullptr); });
        if (!in)
            return core::fail(in.error());
        if (*in == SSH_AUTH_SUCCESS)
            return {};
    }
    for (const char* name : {"id_ed25519", "id_ecdsa", "id_rsa"}) {
        const QString file = QDir::homePath() + QStringLiteral("/.ssh/") + QLatin1StringView(name);
        if (!QFileInfo::exists(file) || m_options.identityFiles.contains(file))
            continue;
        const auto in = tryKeyFile(file, limits);
        if (!in || *in)
            return in ? core::Expected<void>() : core::fail(in.error());
    }
    const QString user = m_host.user.isEmpty() ? qEnvironmentVariable("USER") : m_host.user;
    return core::fail(
        {ErrorCode::AuthRefused, m_host.toString(), QStringLiteral("log in as ") + user,
         m_keysTried.isEmpty()
             ? QStringLiteral("there is no key to try: no --identity, no ssh-agent, none in ~/.ssh")
             : QStringLiteral("the server refused ") + m_keysTried.join(QStringLiteral(", ")),
         QStringLiteral("Put your public key on the node: ssh-copy-id %1%2@%3")
             .arg(m_host.port ? QStringLiteral("-p %1 ").arg(m_host.port) : QString(), user, m_host.host)});
}

} // namespace coxswain::remote
