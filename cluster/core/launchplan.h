// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/plan.h"

#include <QByteArray>
#include <QMap>
#include <QStringList>

namespace coxswain::core {

/// A small file of a job's folder on a node, path relative to that folder.
struct JobFile {
    QString path;
    QByteArray content;
    int mode = 0600;
};

/// What the launcher needs to know beyond the plan.
struct LaunchInput {
    QString jobId;
    int attempt = 1;
    QMap<int, QString> agentPath;  ///< node index → absolute path of coxswain-agent there
    QString runtimeHash;           ///< names runtime/<hash> on every node
    QByteArray jobPrivateKey;      ///< OpenSSH format; empty for a single node
    QMap<int, QByteArray> hostKey; ///< node index → "ssh-ed25519 AAAA…", verified by the desktop
    QMap<int, quint16> sshPort;    ///< node index → port of its sshd
    QMap<int, QString> user;       ///< node index → the login name there
};

/// Note [Launch]: mpirun runs on node 0 from the bundle there. Base folders differ from node to node, so each
/// node is an app context of its own (-host A -np N AGENT rank … : -host B …), and `coxswain-agent rank`
/// sets up that node's bundle. mpirun reaches the others by an ssh command that uses only the job's own key
/// and the job's own known_hosts, and lands in the forced command `coxswain-agent launch`.
struct LaunchPlan {
    QMap<int, QList<JobFile>>
        files;             ///< node index → files; launch.json, job_key, known_hosts on the head only
    QStringList arguments; ///< of mpirun, argv[0] left out; the same as in launch.json
};

LaunchPlan makeLaunchPlan(const Plan& plan, const LaunchInput& input);

/// A job id: UTC time and random part, "20261201-143005-9f3a2c"; safe as a file name, sorts by time.
QString makeJobId();
bool isJobId(QStringView text);

} // namespace coxswain::core
