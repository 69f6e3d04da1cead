// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/remote/hostsession.h"
#include "tests/hosts/hosts.h"

#include <QFile>
#include <QTemporaryDir>

#include <signal.h>

namespace coxswain::test {

using namespace std::chrono_literals;

/// Options and small helpers for tests of real SSH. HOME is a folder of the test's own, and there is no
/// ssh-agent.
struct SshFixture {
    SshFixture(const QString& net, int count) : hosts(net, count) {
        qputenv("HOME", home.path().toUtf8());
        qunsetenv("SSH_AUTH_SOCK");
        options.agentProgram = COXSWAIN_AGENT;
        options.identityFiles = {hosts.identity()};
        options.knownHostsFile = hosts.knownHosts();
        options.connectTimeout = 15s;
    }

    core::HostName host(int node, const QString& user = QStringLiteral("root")) const {
        return {user, hosts.address(node), 0};
    }
    /// Reads its configuration again, with `lines` after it; lines of an earlier call are forgotten.
    void configureSshd(int node, const QString& lines) const {
        hosts.in(node,
                 QStringLiteral(
                     "cd /etc/ssh; [ -f first ] || cp testhosts_config first; cp first testhosts_config; "
                     "printf '%s\\n' '%1' >> testhosts_config; kill -HUP 1; sleep 0.3")
                     .arg(lines));
    }
    static void write(const QString& path, const QByteArray& content) {
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write %s", qPrintable(path));
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    }
    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir home;
    TestHosts hosts;
    remote::RemoteOptions options;
};

inline remote::Limits within(std::chrono::milliseconds time) {
    return {remote::Deadline(time), remote::CancelToken()};
}

} // namespace coxswain::test
