// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/context.h"

#include <QCommandLineParser>
#include <QDir>

namespace coxswain::app {

void LoginOptions::addTo(QCommandLineParser& parser) {
    parser.addOptions({
        {QStringLiteral("identity"), QStringLiteral("Private key to log in with (may be repeated)."),
         QStringLiteral("FILE")},
        {QStringLiteral("known-hosts"),
         QStringLiteral("Host keys are read from and kept in this file (default: ~/.ssh/known_hosts)."),
         QStringLiteral("FILE")},
        {QStringLiteral("accept-new"), QStringLiteral("Accept and keep the keys of unknown hosts.")},
    });
}

LoginOptions LoginOptions::from(const QCommandLineParser& parser) {
    return {parser.values(QStringLiteral("identity")), parser.value(QStringLiteral("known-hosts")),
            parser.isSet(QStringLiteral("accept-new"))};
}

Context::Context(const LoginOptions& login, bool askForKeys)
    : m_paths(job::Paths::standard()), m_pool(remoteOptions(login, askForKeys)), m_nodes(m_paths, m_pool),
      m_runs(m_paths, m_pool) {}

remote::RemoteOptions Context::remoteOptions(const LoginOptions& login, bool askForKeys) {
    remote::RemoteOptions options;
    options.agentProgram = m_paths.agent;
    options.identityFiles = login.identityFiles;
    options.knownHostsFile = login.knownHostsFile.isEmpty()
                                 ? QDir::homePath() + QStringLiteral("/.ssh/known_hosts")
                                 : login.knownHostsFile;
    if (login.knownHostsFile.isEmpty())
        options.moreKnownHosts = {QStringLiteral("/etc/ssh/ssh_known_hosts")};
    if (login.acceptNew)
        options.prompt = [](const remote::HostKeyQuestion&, const remote::CancelToken&) { return true; };
    else if (askForKeys)
        options.prompt = [this](const remote::HostKeyQuestion& question, const remote::CancelToken& cancel) {
            return m_questions.ask(question, cancel);
        };
    return options;
}

} // namespace coxswain::app
