// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/output.h"
#include "app/cli/probing.h"
#include "app/cli/verbs.h"

namespace coxswain::cli {
namespace {

void printPlan(const core::Plan& plan, const job::SyncEstimate& sync) {
    print(QStringLiteral("runtime    %1 (%2)").arg(plan.runtime, plan.runtimeReason));
    print(QStringLiteral("ranks      %1 on %2 node(s)%3")
              .arg(plan.worldSize)
              .arg(plan.nodes.size())
              .arg(plan.subnet ? QStringLiteral(", network ") + plan.subnet->cidr : QString()));
    print(QStringLiteral("steps      %1, each %2 sequences of %3 tokens")
              .arg(plan.spec.train.steps)
              .arg(plan.spec.train.globalBatch)
              .arg(plan.spec.train.sequenceLength));
    if (plan.parameters > 0)
        print(QStringLiteral("model      %1 million parameters, about %2 a rank")
                  .arg(static_cast<double>(plan.parameters) / 1e6, 0, 'f', 2)
                  .arg(sizeText(plan.memoryPerRank)));
    print(QStringLiteral("to send    runtime %1 (what a node has already is not sent again), data %2")
              .arg(sizeText(sync.runtimeBytes), sizeText(sync.dataBytes)));
    for (const auto& node : plan.nodes)
        print(QStringLiteral("  %1 %2 ranks %3–%4, %5 sequences a step, %6 thread(s) a rank")
                  .arg(node.host.toString(), -20)
                  .arg(node.address, -15)
                  .arg(node.firstRank)
                  .arg(node.firstRank + node.rankCount - 1)
                  .arg(node.lanes.count)
                  .arg(node.threadsPerRank));
}

} // namespace

int planVerb(const QStringList& list) {
    Arguments arguments(
        QStringLiteral("plan"),
        QStringLiteral("Shows what a job would do on its nodes. Sends nothing but the agent."),
        QStringLiteral("JOB.json"));
    arguments.addLogin();
    arguments.addJson();
    arguments.addNodes();
    arguments.addSet();
    if (const auto status = arguments.process(list, 1, 1))
        return *status;
    const auto job = arguments.readJob(arguments.positional().first());
    if (!job)
        return 1;
    QStringList named;
    for (const auto& node : job->spec.nodes)
        named.append(QString::fromStdString(node));
    const auto hosts = arguments.nodes(named.isEmpty() ? QStringList(QStringLiteral("local")) : named);
    if (!hosts) {
        complain(hosts.error());
        return 2;
    }
    app::Context context(arguments.login(), false);
    QList<core::Candidate> candidates;
    for (auto& node : probeAll(context, *hosts)) {
        if (!node.inventory) {
            complain(node.inventory.error());
            return 1;
        }
        candidates.append({node.host, *node.inventory});
    }
    const auto plan = core::makePlan(job->spec, candidates);
    if (!plan) {
        complain(plan.error());
        return 1;
    }
    const auto sync = context.runs().estimate(job->spec, job->folder, plan->runtime);
    if (!sync) {
        complain(sync.error());
        return 1;
    }
    if (!arguments.json()) {
        printPlan(*plan, *sync);
        return 0;
    }
    auto object = toJson(*plan);
    object["runtime_bytes"] = sync->runtimeBytes;
    object["data_bytes"] = sync->dataBytes;
    printJson(object);
    return 0;
}

} // namespace coxswain::cli
