// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/hostlist.h"
#include "cluster/remote/hostpool.h"
#include "trainer/wire/metrics.h"
#include "trainer/wire/state.h"

#include <QObject>
#include <QTimer>

namespace coxswain::job {

/// One file of a job's folder on a node, of which the run's folder holds a copy, byte for byte.
struct FollowedFile {
    QString name;      ///< "rank-0.jsonl", "out/mpirun.log"
    qint64 offset = 0; ///< bytes that are here already
};

/// Whole lines that are new in a followed file.
struct FileLines {
    QString name;
    qint64 offset = 0; ///< where `bytes` begin
    QByteArray bytes;
    std::vector<wire::MetricsLine> lines; ///< those of a metrics file that could be read
    int damaged = 0;                      ///< lines that could not
};

/// Reads a job's files on one node as they grow, by long polls that leave the node's worker free in between.
/// After a lost connection it goes on at the same byte.
class Follower : public QObject {
    Q_OBJECT
public:
    Follower(remote::HostPool& pool, core::HostName host, QString jobId, QList<FollowedFile> files,
             bool withState, QObject* parent);

    void start();
    /// Reads until nothing is new, then drained(), and stops; at once when the node is not connected just
    /// now.
    void drain();

signals:
    void received(const coxswain::job::FileLines& lines);
    void stateSeen(const coxswain::wire::SupervisorState& state);
    /// The state file is not there: the job's folder was removed.
    void stateAbsent();
    void connectionChanged(bool connected, const coxswain::core::Error& why);
    void drained();

private:
    struct News {
        QList<FileLines> files;
        std::optional<wire::SupervisorState> state;
        bool stateAbsent = false;
    };
    void poll();
    void finish();
    void take(const core::Expected<News>& news);
    static core::Expected<News> look(remote::HostSession& session, const remote::CancelToken& cancel,
                                     const QString& jobId, const QList<FollowedFile>& files, bool withState,
                                     int wait);

    remote::HostPool& m_pool;
    core::HostName m_host;
    QString m_jobId;
    QList<FollowedFile> m_files;
    bool m_withState;
    bool m_draining = false;
    bool m_stopped = false;
    bool m_connected = true;
    int m_failures = 0;
    QTimer m_retry;
};

} // namespace coxswain::job
