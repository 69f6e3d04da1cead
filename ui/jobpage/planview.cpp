// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobpage/planview.h"

#include "ui/checktexts.h"
#include "ui/format.h"
#include "ui/nodefacts.h"

#include <QCoreApplication>

namespace coxswain::ui {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

QString tr(const char* text) {
    return QCoreApplication::translate("PlanView", text);
}

/// Bytes that each rank of the node can have: of the smallest chosen GPU, or its part of the free memory.
std::optional<double> memoryForRank(const core::PlannedNode& node, const core::Inventory& facts) {
    if (node.gpus.isEmpty())
        return facts.memoryAvailable ? std::optional(double(*facts.memoryAvailable) / node.rankCount)
                                     : std::nullopt;
    std::optional<double> least;
    for (const auto& gpu : facts.nvidia.gpus) {
        if (!node.gpus.contains(gpu.index))
            continue;
        if (!gpu.memoryFreeMib)
            return std::nullopt;
        const double bytes = double(*gpu.memoryFreeMib) * mebibyte;
        least = least ? std::min(*least, bytes) : bytes;
    }
    return least;
}

QString rangeText(int first, int count) {
    return count == 1 ? QString::number(first) : tr("%1 to %2").arg(first).arg(first + count - 1);
}

PlanView::NodeRow nodeRow(const core::Plan& plan, const core::PlannedNode& node,
                          const core::Inventory& facts) {
    PlanView::NodeRow row;
    row.node = nodefacts::displayName(node.host);
    row.ranks = rangeText(node.firstRank, node.rankCount);
    if (node.gpus.isEmpty()) {
        row.devices =
            node.threadsPerRank == 1 ? tr("1 thread each") : tr("%1 threads each").arg(node.threadsPerRank);
    } else {
        QStringList indices;
        for (const int gpu : node.gpus)
            indices.append(QString::number(gpu));
        row.devices = tr("GPU %1").arg(indices.join(QStringLiteral(", ")));
    }
    row.lanes = tr("%1 of %2").arg(node.lanes.count).arg(plan.spec.train.globalBatch);
    const auto there = memoryForRank(node, facts);
    const QString need = plan.memoryPerRank > 0 ? format::bytes(double(plan.memoryPerRank)) : tr("unknown");
    row.memory = tr("%1 of %2").arg(need, there ? format::bytes(*there) : tr("unknown"));
    if (there && double(plan.memoryPerRank) > *there)
        row.severity = core::Severity::Error;
    else if (there && double(plan.memoryPerRank) > 0.9 * *there)
        row.severity = core::Severity::Warning;
    return row;
}

QList<PlanView::Fact> factsOf(const core::Plan& plan, bool fits) {
    const auto& train = plan.spec.train;
    QList<PlanView::Fact> facts;
    facts.append({tr("Ranks"),
                  plan.nodes.size() == 1 ? tr("%1 on 1 node").arg(plan.worldSize)
                                         : tr("%1 on %2 nodes").arg(plan.worldSize).arg(plan.nodes.size()),
                  core::Severity::Ok,
                  {}});
    facts.append({tr("Runtime"), plan.runtime, core::Severity::Ok, plan.runtimeReason});
    facts.append({tr("Each step"),
                  tr("%1 sequences × %2 tokens = %3 tokens")
                      .arg(format::count(train.globalBatch), format::count(train.sequenceLength),
                           format::count(plan.tokensPerStep)),
                  core::Severity::Ok, tr("The effective batch, over all ranks")});
    facts.append({tr("In all"),
                  tr("%1 steps, %2 tokens")
                      .arg(format::count(train.steps),
                           format::shortCount(double(plan.tokensPerStep) * double(train.steps))),
                  core::Severity::Ok,
                  {}});
    if (plan.parameters > 0)
        facts.append({tr("Model"), tr("%1 parameters").arg(format::shortCount(double(plan.parameters))),
                      core::Severity::Ok, format::count(plan.parameters)});
    if (!fits)
        facts.append(
            {tr("Memory"),
             tr("A rank needs about %1, which is more than there is. A smaller global batch or sequence "
                "length, more nodes, or a smaller model would make it fit.")
                 .arg(format::bytes(double(plan.memoryPerRank))),
             core::Severity::Error,
             {}});
    facts.append({tr("Network"), plan.subnet ? plan.subnet->cidr : tr("none needed on one node"),
                  core::Severity::Ok, tr("Ranks talk to each other over this network only")});
    return facts;
}

PlanView::Fact estimateFact(const core::Plan& plan, const core::Expected<job::SyncEstimate>& estimate) {
    if (!estimate)
        return {tr("To send"), estimate.error().text(), core::Severity::Error, {}};
    return {
        tr("To send"),
        tr("runtime %1 to each node, data %2 in all")
            .arg(format::bytes(double(estimate->runtimeBytes)), format::bytes(double(estimate->dataBytes))),
        core::Severity::Ok,
        tr("At most: what a node already has is not sent again (%1 nodes)").arg(plan.nodes.size())};
}

QString firstProblem(const std::vector<wire::FieldError>& errors) {
    const auto& error = errors.front();
    const QString rest = errors.size() > 1 ? tr(" (and %1 more)").arg(errors.size() - 1) : QString();
    return tr("The job is not complete: %1%2").arg(QString::fromStdString(error.text()), rest);
}

/// Chosen nodes that were checked and cannot take part as they are.
void addBadChecks(const QList<job::NodeStatus>& nodes, QList<PlanView::Fact>& facts) {
    for (const auto& node : nodes)
        for (const auto& check : node.checks)
            if (check.severity == core::Severity::Error)
                facts.append({nodefacts::displayName(node.host),
                              tr("%1: %2").arg(checktexts::title(check.id), check.observed),
                              core::Severity::Error, check.fix});
}

} // namespace

PlanView planView(const std::optional<wire::JobSpec>& spec, const std::vector<wire::FieldError>& errors,
                  const QList<job::NodeStatus>& nodes, const QString& jobFolder, const Estimate& estimate) {
    PlanView view;
    for (const auto& node : nodes)
        if (!node.inventory)
            view.toCheck.append(node.host);
    if (!spec) {
        view.problem = errors.empty() ? tr("The job is not complete.") : firstProblem(errors);
        return view;
    }
    if (nodes.isEmpty()) {
        view.problem = tr("Choose at least one node.");
        return view;
    }
    if (!view.toCheck.isEmpty()) {
        QStringList names;
        for (const auto& host : view.toCheck)
            names.append(nodefacts::displayName(host));
        view.problem =
            names.size() == 1
                ? tr("%1 has to be checked first.").arg(names.first())
                : tr("These nodes have to be checked first: %1").arg(names.join(QStringLiteral(", ")));
        return view;
    }
    QList<core::Candidate> candidates;
    for (const auto& node : nodes)
        candidates.append({node.host, *node.inventory});
    const auto plan = core::makePlan(*spec, candidates);
    if (!plan) {
        view.problem = plan.error().text();
        return view;
    }
    bool fits = true;
    for (qsizetype i = 0; i < plan->nodes.size(); ++i) {
        view.nodes.append(nodeRow(*plan, plan->nodes[i], *nodes[i].inventory));
        fits = fits && view.nodes.last().severity != core::Severity::Error;
    }
    view.facts = factsOf(*plan, fits);
    view.canRun = true;
    if (estimate) {
        // What cannot be read here cannot be sent: such a run would fail at once.
        const auto toSend = estimate(*spec, jobFolder, plan->runtime);
        view.facts.append(estimateFact(*plan, toSend));
        view.canRun = toSend.has_value();
    }
    addBadChecks(nodes, view.facts);
    return view;
}

} // namespace coxswain::ui
