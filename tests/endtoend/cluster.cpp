// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/endtoend/cluster.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QThread>

namespace coxswain::test {
namespace {

QStringList hidden() {
    QStringList options;
    for (const char* path : {COXSWAIN_SOURCE, COXSWAIN_TORCH, "/usr/lib/x86_64-linux-gnu/openmpi",
                             "/usr/lib/x86_64-linux-gnu/pmix2", "/usr/lib/x86_64-linux-gnu/libmpi*",
                             "/usr/lib/x86_64-linux-gnu/libopen-*", "/usr/lib/x86_64-linux-gnu/libpmix*",
                             "/usr/lib/x86_64-linux-gnu/libhwloc*", "/usr/lib/x86_64-linux-gnu/libevent*",
                             "/usr/share/openmpi", "/etc/openmpi", "/usr/bin/mpi*", "/usr/bin/orte*"})
        options += {QStringLiteral("--hide"), QString::fromUtf8(path)};
    return options;
}

} // namespace

Cluster::Cluster(const QString& net) : m_hosts(std::make_unique<TestHosts>(net, 3, hidden())) {
    m_hosts->addUser(3, QStringLiteral("ada"));
    m_hosts->in(3,
                QStringLiteral("echo umask 027 >> /home/ada/.bashrc; echo umask 027 >> /home/ada/.profile"));
    useAsDesktop(m_desktop.path());
}

void Cluster::useAsDesktop(const QString& folder) {
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
        qputenv(name, (folder + QLatin1Char('/') + QString::fromLatin1(name)).toUtf8());
    qunsetenv("SSH_AUTH_SOCK");
}

QString Cluster::node(int number) const {
    return (number == 3 ? QStringLiteral("ada@") : QStringLiteral("root@")) + m_hosts->address(number);
}

QString Cluster::nodes() const {
    return QStringList{node(1), node(2), node(3)}.join(QLatin1Char(','));
}

std::unique_ptr<QProcess> Cluster::start(QStringList arguments, bool login) const {
    if (login)
        arguments += {QStringLiteral("--identity"), m_hosts->identity(), QStringLiteral("--known-hosts"),
                      m_hosts->knownHosts()};
    auto process = std::make_unique<QProcess>();
    process->start(QStringLiteral(COXSWAIN_CLI), arguments);
    process->waitForStarted();
    return process;
}

Cluster::Result Cluster::finish(QProcess& process, int seconds) {
    Result result;
    if (process.waitForFinished(seconds * 1000))
        result.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : 128;
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    return result;
}

Cluster::Result Cluster::cli(const QStringList& arguments, int seconds, bool login) const {
    const auto process = start(arguments, login);
    return finish(*process, seconds);
}

QJsonObject Cluster::Result::json() const {
    return QJsonDocument::fromJson(out.trimmed().split('\n').last()).object();
}

QString Cluster::job() {
    return QStringLiteral(COXSWAIN_SOURCE "/resources/examples/verses.json");
}

QByteArray Cluster::leftProcesses(int number) const {
    return m_hosts->in(
        number,
        QStringLiteral(
            "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ 2>/dev/null | grep -q ^COXSWAIN_JOB= && "
            "tr '\\0' ' ' < $p/cmdline && echo; done; true"));
}

QByteArray Cluster::authorizedKeys(int number) const {
    return m_hosts->in(number, QStringLiteral("cat ~%1/.ssh/authorized_keys")
                                   .arg(number == 3 ? QStringLiteral("ada") : QStringLiteral("root")));
}

RankSteps readSteps(const QString& name) {
    RankSteps steps;
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly))
        return steps;
    while (!file.atEnd()) {
        const auto line = QJsonDocument::fromJson(file.readLine()).object();
        if (line[QStringLiteral("kind")] != QStringLiteral("step"))
            continue;
        steps.steps.append(line[QStringLiteral("step")].toInteger());
        steps.losses.append(line[QStringLiteral("loss")].toDouble());
    }
    return steps;
}

QString newestRunFolder() {
    const QDir runs(qEnvironmentVariable("XDG_DATA_HOME") + QStringLiteral("/coxswain/runs"));
    const auto list = runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    return list.isEmpty() ? QString() : runs.filePath(list.last());
}

bool waitForStep(const QString& folder, int rank, qint64 step, int seconds) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < seconds * 1000) {
        const auto seen = readSteps((folder.isEmpty() ? newestRunFolder() : folder) +
                                    QStringLiteral("/rank-%1.jsonl").arg(rank));
        if (!seen.steps.isEmpty() && seen.steps.last() >= step)
            return true;
        QThread::msleep(50);
    }
    return false;
}

} // namespace coxswain::test
