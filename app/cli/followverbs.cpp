// SPDX-License-Identifier: GPL-3.0-or-later
// attach and stop: what is done with a run that exists.
#include "app/cli/arguments.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "app/cli/watcher.h"
#include "cluster/job/nodework.h"

#include <QEventLoop>
#include <QTimer>

#include <csignal>

namespace coxswain::cli {
namespace {

using core::ErrorCode;

/// The run that was named, or the newest that has not ended.
core::Expected<QString> chooseRun(const job::Runs& runs, const QStringList& positional) {
    if (!positional.isEmpty())
        return positional.first();
    for (const auto& record : runs.list())
        if (!record.ended.isValid())
            return record.id;
    return core::fail({ErrorCode::Missing,
                       {},
                       QStringLiteral("choose a run"),
                       QStringLiteral("none is running"),
                       QStringLiteral("Name one; 'coxswain-cli runs' lists them")});
}

/// Waits for one piece of work on one node.
core::Expected<void>
askNode(app::Context& context, const core::HostName& host,
        std::function<core::Expected<void>(remote::HostSession&, const remote::CancelToken&)> work) {
    QEventLoop loop;
    core::Expected<void> result;
    context.pool().run<void>(host, std::move(work), &loop, [&](core::Expected<void> answer) {
        result = std::move(answer);
        loop.quit();
    });
    loop.exec();
    return result;
}

/// Another program follows the run: tell the nodes, and let that program see it to its end.
int stopFollowedElsewhere(app::Context& context, const QString& id, bool now, bool asJson) {
    auto run = context.runs().open(id);
    if (!run) {
        complain(run.error());
        return 1;
    }
    const auto nodes = (*run)->snapshot().record.plan.nodes;
    for (const auto& node : now ? nodes : nodes.mid(0, 1)) {
        const auto asked =
            askNode(context, node.host, [&](remote::HostSession& session, const remote::CancelToken& cancel) {
                return now ? job::killOnNode(session, cancel, id)
                           : job::signalMpirun(session, cancel, id, SIGUSR1);
            });
        if (!asked && asked.error().code != ErrorCode::Missing) {
            complain(asked.error());
            return 1;
        }
    }
    say(QStringLiteral("asked; waiting for the program that follows the run to see it end …"));
    while (!(*run)->snapshot().record.ended.isValid()) {
        QEventLoop pause;
        QTimer::singleShot(500, &pause, &QEventLoop::quit);
        pause.exec();
        auto again = context.runs().open(id);
        if (again)
            run = std::move(again);
    }
    return finish(**run, true, asJson);
}

int follow(const QStringList& list, const QString& verb, const QString& help, bool stop) {
    Arguments arguments(verb, help, QStringLiteral("[RUN]"));
    arguments.addLogin();
    arguments.addJson();
    if (stop)
        arguments.parser().addOption(
            {QStringLiteral("now"), QStringLiteral("End at once, without saving the model.")});
    if (const auto status = arguments.process(list, 0, 1))
        return *status;
    const bool now = stop && arguments.has("now");
    app::Context context(arguments.login(), false);
    const auto id = chooseRun(context.runs(), arguments.positional());
    if (!id) {
        complain(id.error());
        return 1;
    }
    auto run = context.runs().attach(*id);
    if (!run && stop && run.error().code == ErrorCode::Conflict)
        return stopFollowedElsewhere(context, *id, now, arguments.json());
    if (!run) {
        complain(run.error());
        return 1;
    }
    say(QStringLiteral("run %1").arg(*id));
    if (stop) {
        const auto request = [&run, now] {
            if (now ? (*run)->canEndNow() : (*run)->canStop())
                (*run)->stop(now);
        };
        QObject::connect(run->get(), &job::Run::snapshotChanged, run->get(), request);
        request();
    }
    Watcher watcher(**run, Watcher::Until::Ended);
    return finish(**run, watcher.wait(), arguments.json());
}

} // namespace

int attachVerb(const QStringList& list) {
    return follow(list, QStringLiteral("attach"),
                  QStringLiteral("Follows a run (default: the newest that has not ended) from where its "
                                 "folder here ends, without a gap."),
                  false);
}

int stopVerb(const QStringList& list) {
    return follow(list, QStringLiteral("stop"),
                  QStringLiteral("Ends a run (default: the newest that has not ended): all ranks stop at the "
                                 "same step and the model is saved. "
                                 "Verifies that no process and no key of it is left on any node."),
                  true);
}

} // namespace coxswain::cli
