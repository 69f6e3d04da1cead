// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "app/cli/watcher.h"

namespace coxswain::cli {

int runVerb(const QStringList& list) {
    Arguments arguments(QStringLiteral("run"),
                        QStringLiteral("Runs a job: connects to its nodes, checks them, sends what they "
                                       "lack, launches, and follows to the end.\n"
                                       "Without --nodes the job's own nodes are used, or else this machine. "
                                       "The run goes on when this command "
                                       "is killed; 'coxswain-cli attach' follows it again."),
                        QStringLiteral("JOB.json"));
    arguments.addLogin();
    arguments.addJson();
    arguments.addNodes();
    arguments.addSet();
    arguments.parser().addOption(
        {QStringLiteral("detach"), QStringLiteral("Return as soon as the run is launched.")});
    if (const auto status = arguments.process(list, 1, 1))
        return *status;
    const auto job = arguments.readJob(arguments.positional().first());
    if (!job)
        return 1;
    QStringList named;
    for (const auto& node : job->spec.nodes)
        named.append(QString::fromStdString(node));
    const auto hosts = arguments.nodes(named);
    if (!hosts) {
        complain(hosts.error());
        return 2;
    }
    app::Context context(arguments.login(), false);
    auto run = context.runs().start(job->spec, job->folder, *hosts);
    if (!run) {
        complain(run.error());
        return 1;
    }
    say(QStringLiteral("run %1").arg((*run)->snapshot().record.id));
    Watcher watcher(**run, arguments.has("detach") ? Watcher::Until::Launched : Watcher::Until::Ended);
    const bool ended = watcher.wait();
    return finish(**run, ended, arguments.json());
}

} // namespace coxswain::cli
