// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include "cluster/job/json.h"

#include <cstdio>

namespace coxswain::cli {

using job::text;
using nlohmann::json;

void print(const QString& line) {
    std::fprintf(stdout, "%s\n", line.toUtf8().constData());
    std::fflush(stdout);
}

void say(const QString& line) {
    std::fprintf(stderr, "%s\n", line.toUtf8().constData());
}

void complain(const QString& message) {
    say(QStringLiteral("coxswain-cli: ") + message);
}

void complain(const core::Error& error) {
    complain(error.text());
}

void printJson(const json& value) {
    print(QString::fromStdString(value.dump(-1, ' ', false, json::error_handler_t::replace)));
}

QString sizeText(qint64 bytes) {
    const double value = static_cast<double>(bytes);
    if (value >= 1e9)
        return QStringLiteral("%1 GB").arg(value / 1e9, 0, 'f', 2);
    if (value >= 1e6)
        return QStringLiteral("%1 MB").arg(value / 1e6, 0, 'f', 1);
    return QStringLiteral("%1 kB").arg(value / 1e3, 0, 'f', 1);
}

QString durationText(double seconds) {
    const auto whole = static_cast<qint64>(seconds);
    if (whole >= 3600)
        return QStringLiteral("%1 h %2 min")
            .arg(whole / 3600)
            .arg(whole % 3600 / 60, 2, 10, QLatin1Char('0'));
    if (whole >= 60)
        return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
    return QStringLiteral("%1 s").arg(seconds, 0, 'f', 1);
}

QString lossText(const std::optional<double>& loss) {
    return loss ? QString::number(*loss, 'f', 4) : QStringLiteral("–");
}

json toJson(const core::CheckResult& check) {
    return {{"id", text(check.id)},
            {"severity", text(core::severityName(check.severity))},
            {"observed", text(check.observed)},
            {"expected", text(check.expected)},
            {"fix", text(check.fix)}};
}

json toJson(const core::Gpu& gpu) {
    return {{"index", gpu.index},
            {"name", text(gpu.name)},
            {"memory_total_mib", job::optional(gpu.memoryTotalMib)},
            {"memory_free_mib", job::optional(gpu.memoryFreeMib)},
            {"usable", gpu.usable},
            {"why", text(gpu.why)}};
}

json toJson(const core::Plan& plan) {
    json nodes = json::array();
    for (const auto& node : plan.nodes) {
        json ranks = json::array();
        for (int rank = node.firstRank; rank < node.firstRank + node.rankCount; ++rank)
            ranks.push_back(rank);
        nodes.push_back({{"node", text(node.host.toString())},
                         {"address", text(node.address)},
                         {"ranks", std::move(ranks)},
                         {"gpus", std::vector<int>(node.gpus.begin(), node.gpus.end())},
                         {"sequences_per_step", node.lanes.count},
                         {"threads_per_rank", node.threadsPerRank}});
    }
    return {{"runtime", text(plan.runtime)},
            {"runtime_reason", text(plan.runtimeReason)},
            {"ranks", plan.worldSize},
            {"nodes", std::move(nodes)},
            {"subnet", plan.subnet ? json(text(plan.subnet->cidr)) : json(nullptr)},
            {"steps", plan.spec.train.steps},
            {"tokens_per_step", plan.tokensPerStep},
            {"parameters", plan.parameters},
            {"memory_per_rank", plan.memoryPerRank}};
}

QString stateText(const job::RunRecord& record) {
    return record.outcome == core::Outcome::None ? QStringLiteral("running")
                                                 : core::outcomeName(record.outcome);
}

json toJson(const job::RunRecord& record) {
    json errors = json::array();
    for (const auto& error : record.errors)
        errors.push_back({{"code", text(core::errorCodeName(error.code))},
                          {"host", text(error.host)},
                          {"text", text(error.text())}});
    json object = {{"run", text(record.id)},
                   {"name", text(record.name)},
                   {"state", text(stateText(record))},
                   {"ranks", record.plan.worldSize},
                   {"steps", record.steps},
                   {"first_loss", record.firstLoss ? wire::toJsonNumber(*record.firstLoss) : json(nullptr)},
                   {"last_loss", record.lastLoss ? wire::toJsonNumber(*record.lastLoss) : json(nullptr)},
                   {"model", text(record.model)},
                   {"errors", std::move(errors)}};
    if (record.failure)
        object["failure"] = {{"rank", record.failure->rank},
                             {"node", text(record.failure->node)},
                             {"signal", text(record.failure->signal)},
                             {"exit_status", job::optional(record.failure->exitStatus)},
                             {"headline", text(record.failure->headline)},
                             {"detail", text(record.failure->detail)},
                             {"fix", text(record.failure->fix)}};
    return object;
}

} // namespace coxswain::cli
