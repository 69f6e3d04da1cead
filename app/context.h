// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/hostkeyquestions.h"
#include "cluster/job/nodes.h"
#include "cluster/job/paths.h"
#include "cluster/job/runs.h"
#include "cluster/remote/hostpool.h"

class QCommandLineParser;

namespace coxswain::app {

/// What window and command line have in common to say about logging in.
struct LoginOptions {
    QStringList identityFiles;
    QString knownHostsFile; ///< empty: ~/.ssh/known_hosts
    bool acceptNew = false; ///< accept the keys of unknown hosts without asking

    static void addTo(QCommandLineParser& parser);
    static LoginOptions from(const QCommandLineParser& parser);
};

/// The composition root: makes everything that the window and the command line work with, once.
class Context {
public:
    /// With `askForKeys`, unknown host keys are asked about through questions(); else they are refused.
    Context(const LoginOptions& login, bool askForKeys);

    const job::Paths& paths() const { return m_paths; }
    remote::HostPool& pool() { return m_pool; }
    job::HostKeyQuestions& questions() { return m_questions; }
    job::Nodes& nodes() { return m_nodes; }
    job::Runs& runs() { return m_runs; }

private:
    remote::RemoteOptions remoteOptions(const LoginOptions& login, bool askForKeys);

    job::Paths m_paths;
    job::HostKeyQuestions m_questions;
    remote::HostPool m_pool; ///< its workers ask m_questions: destroyed before it
    job::Nodes m_nodes;
    job::Runs m_runs;
};

} // namespace coxswain::app
