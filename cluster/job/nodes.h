// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/health.h"
#include "cluster/core/hostlist.h"
#include "cluster/job/paths.h"

#include <QDateTime>
#include <QList>
#include <QObject>

#include <functional>
#include <optional>

namespace coxswain::remote {
class HostPool;
}

namespace coxswain::job {

/// A known node and what was last learnt of it.
struct NodeStatus {
    enum class State { NotChecked, Checking, Reached, Failed };
    core::HostName host;
    State state = State::NotChecked;
    QDateTime checkedAt; ///< of the newest answer
    std::optional<core::Inventory> inventory;
    QList<core::CheckResult> checks;  ///< "reachability" first
    std::optional<core::Error> error; ///< why it could not be reached
};

/// The list of known nodes (kept in the configuration folder) and their checks. Lives in the GUI thread;
/// the work is done by the pool's workers.
class Nodes : public QObject {
    Q_OBJECT
public:
    Nodes(const Paths& paths, remote::HostPool& pool, QObject* parent = nullptr);

    const QList<NodeStatus>& list() const { return m_nodes; }
    const NodeStatus* find(const core::HostName& host) const;

    /// Adds every host of the text that is not known yet; answers with those that were added.
    core::Expected<QList<core::HostName>> add(QStringView text);
    void remove(const QList<core::HostName>& hosts);

    /// Connects, probes and judges; list() changes as answers come. Legal at any time: a check that runs
    /// already goes on. Ends with checkFinished().
    void check(const QList<core::HostName>& hosts, const core::Requirements& needs);
    void cancel(const QList<core::HostName>& hosts);
    /// Checks that concern all of the given nodes together, from what is known now.
    QList<core::CheckResult> together(const QList<core::HostName>& hosts,
                                      const core::Requirements& needs) const;

    /// Removes all that was ever put on the nodes. `done` gets what was removed, or why not, for each.
    using CleanDone = std::function<void(const core::HostName&, core::Expected<QString>)>;
    void clean(const QList<core::HostName>& hosts, QObject* context, const CleanDone& done);

signals:
    void changed();       ///< something in list() is new
    void checkFinished(); ///< no check is under way any more

private:
    void load();
    core::Expected<void> save() const;
    NodeStatus* edit(const core::HostName& host);
    void checked(const core::HostName& host, const core::Requirements& needs,
                 core::Expected<core::Inventory> inventory);

    Paths m_paths;
    remote::HostPool& m_pool;
    QList<NodeStatus> m_nodes;
    int m_running = 0;
};

} // namespace coxswain::job
