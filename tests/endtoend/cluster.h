// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/hosts/hosts.h"

#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <memory>

namespace coxswain::test {

/// Three test hosts on which nothing of this checkout, LibTorch or Open MPI exists; the third is entered as a
/// plain user with umask 027. And a desktop: XDG folders of its own, and coxswain-cli.
class Cluster {
public:
    explicit Cluster(const QString& net);

    TestHosts& hosts() { return *m_hosts; }
    QString identity() const { return m_hosts->identity(); }
    const QTemporaryDir& desktop() const { return m_desktop; }
    /// "root@…1,root@…2,ada@…3"
    QString nodes() const;
    QString node(int number) const;
    /// XDG_* point into desktop().
    static void useAsDesktop(const QString& folder);

    /// Starts coxswain-cli with the login options added.
    std::unique_ptr<QProcess> start(QStringList arguments, bool login = true) const;
    struct Result {
        int status = -1;
        QByteArray out, err;
        QJsonObject json() const; ///< the last line of out
    };
    Result cli(const QStringList& arguments, int seconds = 120, bool login = true) const;
    static Result finish(QProcess& process, int seconds = 120);

    /// The example job, in a folder of its own so that files may lie beside it.
    static QString job();
    /// Processes with COXSWAIN_JOB in their environment, a line each; samplers are given a moment to end.
    QByteArray leftProcesses(int number) const;
    QByteArray authorizedKeys(int number) const;

private:
    QTemporaryDir m_desktop;
    std::unique_ptr<TestHosts> m_hosts;
};

/// Step lines of a rank's file in a run's folder.
struct RankSteps {
    QList<qint64> steps;
    QList<double> losses;
};
RankSteps readSteps(const QString& file);

/// The run's id and folder once it is known, from the desktop's data folder.
QString newestRunFolder();
/// Waits until the file of `rank` has a line for `step`.
bool waitForStep(const QString& folder, int rank, qint64 step, int seconds);

} // namespace coxswain::test
