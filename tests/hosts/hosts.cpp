// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/hosts/hosts.h"

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>

#include <stdexcept>

#include <unistd.h>

namespace coxswain::test {

TestHosts::TestHosts(const QString& net, int count, const QStringList& options)
    : m_net(net), m_folder(QStringLiteral("/var/tmp/testhosts-") + net) {
    if (::geteuid() != 0)
        throw std::runtime_error("test hosts need root: run the tests labelled 'hosts' as root");
    run({QStringLiteral("down")});
    run(QStringList{QStringLiteral("up"), QString::number(count)} + options);
}

TestHosts::~TestHosts() {
    try {
        run({QStringLiteral("down")});
    } catch (const std::exception& error) {
        qWarning("%s", error.what());
    }
}

QByteArray TestHosts::in(int node, const QString& script) const {
    return run(
        {QStringLiteral("in"), QString::number(node), QStringLiteral("sh"), QStringLiteral("-ec"), script});
}

void TestHosts::addUser(int node, const QString& name, const QStringList& extra) const {
    in(node, QStringLiteral(
                 "useradd --create-home --password '*' %2 %1; h=$(getent passwd %1 | cut -d: -f6); install -d -m 700 -o %1 "
                 "$h/.ssh; install -m 600 -o %1 /etc/ssh/testhosts.pub $h/.ssh/authorized_keys")
                 .arg(name, extra.join(u' ')));
}

QByteArray TestHosts::run(const QStringList& arguments) const {
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("TESTHOSTS_DIR"), m_folder);
    environment.insert(QStringLiteral("TESTHOSTS_NET"), m_net);
    process.setProcessEnvironment(environment);
    process.setStandardInputFile(QProcess::nullDevice());
    // The nodes live on after `up` and would hold a pipe of ours open: files for its outputs.
    const bool isUp = arguments.first() == QStringLiteral("up");
    const QString log = m_folder + QStringLiteral(".log");
    if (isUp) {
        process.setStandardOutputFile(log);
        process.setStandardErrorFile(log, QIODevice::Append);
    }
    process.start(QStringLiteral(TESTHOSTS_SCRIPT), arguments);
    const bool ended = process.waitForFinished(60000);
    if (ended && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0)
        return isUp ? QByteArray() : process.readAllStandardOutput();
    QFile file(log);
    const QByteArray seen = !isUp                            ? process.readAllStandardError()
                            : file.open(QIODevice::ReadOnly) ? file.readAll()
                                                             : QByteArray();
    throw std::runtime_error("testhosts " + arguments.join(u' ').toStdString() + ": " +
                             (ended ? "" : "no end within a minute; ") + seen.toStdString());
}

} // namespace coxswain::test
