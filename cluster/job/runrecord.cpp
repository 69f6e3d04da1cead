// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/runrecord.h"

#include "cluster/job/json.h"
#include "trainer/wire/version.h"

#include <array>

namespace coxswain::job {
namespace {

using core::Outcome;
using nlohmann::json;

constexpr std::string_view runFormat = "coxswain.run/1.0";

json nodeToJson(const core::PlannedNode& node) {
    return {{"host", text(node.host.toString())},
            {"address", text(node.address)},
            {"interface", text(node.interfaceName)},
            {"base", text(node.base)},
            {"first_rank", node.firstRank},
            {"rank_count", node.rankCount},
            {"gpus", std::vector<int>(node.gpus.begin(), node.gpus.end())},
            {"lanes", {{"first", node.lanes.first}, {"count", node.lanes.count}}},
            {"threads_per_rank", node.threadsPerRank}};
}

core::PlannedNode nodeFromJson(const json& object, int index) {
    core::PlannedNode node;
    const auto hosts = core::parseHostList(text(object.at("host")));
    if (!hosts || hosts->size() != 1)
        throw std::invalid_argument("nodes: \"host\" is not the name of one host");
    node.host = hosts->first();
    node.index = index;
    node.address = text(object.at("address"));
    node.interfaceName = text(object.at("interface"));
    node.base = text(object.at("base"));
    node.firstRank = object.at("first_rank").get<int>();
    node.rankCount = object.at("rank_count").get<int>();
    for (const auto& gpu : object.at("gpus"))
        node.gpus.append(gpu.get<int>());
    node.lanes = {object.at("lanes").at("first").get<int>(), object.at("lanes").at("count").get<int>()};
    node.threadsPerRank = object.at("threads_per_rank").get<int>();
    return node;
}

json planToJson(const core::Plan& plan) {
    json nodes = json::array();
    for (const auto& node : plan.nodes)
        nodes.push_back(nodeToJson(node));
    return {{"job", wire::toJson(plan.spec)},
            {"runtime", text(plan.runtime)},
            {"runtime_reason", text(plan.runtimeReason)},
            {"world_size", plan.worldSize},
            {"nodes", std::move(nodes)},
            {"subnet", plan.subnet ? json(text(plan.subnet->cidr)) : json(nullptr)},
            {"tokens_per_step", plan.tokensPerStep},
            {"parameters", plan.parameters},
            {"memory_per_rank", plan.memoryPerRank}};
}

core::Plan planFromJson(const json& object) {
    core::Plan plan;
    auto spec = wire::parseJobSpec(object.at("job"));
    if (!spec)
        throw std::invalid_argument("job: " + spec.error().front().text());
    plan.spec = std::move(*spec);
    plan.runtime = text(object.at("runtime"));
    plan.runtimeReason = text(object.at("runtime_reason"));
    plan.worldSize = object.at("world_size").get<int>();
    for (const auto& node : object.at("nodes"))
        plan.nodes.append(nodeFromJson(node, static_cast<int>(plan.nodes.size())));
    if (const auto& subnet = object.at("subnet"); subnet.is_string())
        plan.subnet = core::Subnet{text(subnet)};
    plan.tokensPerStep = object.at("tokens_per_step").get<qint64>();
    plan.parameters = object.at("parameters").get<qint64>();
    plan.memoryPerRank = object.at("memory_per_rank").get<qint64>();
    return plan;
}

json failureToJson(const core::FailureCard& card) {
    json consequences = json::array();
    for (const auto& line : card.consequences)
        consequences.push_back(text(line));
    return {{"rank", card.rank},
            {"node", text(card.node)},
            {"signal", text(card.signal)},
            {"exit_status", optional(card.exitStatus)},
            {"headline", text(card.headline)},
            {"detail", text(card.detail)},
            {"fix", text(card.fix)},
            {"consequences", std::move(consequences)}};
}

core::FailureCard failureFromJson(const json& object) {
    core::FailureCard card;
    card.rank = object.at("rank").get<int>();
    card.node = text(object.at("node"));
    card.signal = text(object.at("signal"));
    card.exitStatus = optional<int>(object.at("exit_status"));
    card.headline = text(object.at("headline"));
    card.detail = text(object.at("detail"));
    card.fix = text(object.at("fix"));
    for (const auto& line : object.at("consequences"))
        card.consequences.append(text(line));
    return card;
}

json errorToJson(const core::Error& error) {
    return {{"code", text(core::errorCodeName(error.code))},
            {"host", text(error.host)},
            {"tried", text(error.tried)},
            {"seen", text(error.seen)},
            {"fix", text(error.fix)}};
}

core::Error errorFromJson(const json& object) {
    return {core::errorCodeFromName(text(object.at("code"))), text(object.at("host")),
            text(object.at("tried")), text(object.at("seen")), text(object.at("fix"))};
}

json timeToJson(const QDateTime& time) {
    return time.isValid() ? json(text(time.toUTC().toString(Qt::ISODateWithMs))) : json(nullptr);
}

QDateTime timeFromJson(const json& value) {
    return value.is_string() ? QDateTime::fromString(text(value), Qt::ISODateWithMs) : QDateTime();
}

Outcome outcomeFromName(const QString& name) {
    for (const auto outcome : {Outcome::None, Outcome::Finished, Outcome::Stopped, Outcome::Failed})
        if (core::outcomeName(outcome) == name)
            return outcome;
    throw std::invalid_argument("unknown outcome");
}

RunRecord recordFromJson(const json& object) {
    RunRecord record;
    record.id = text(object.at("id"));
    record.name = text(object.at("name"));
    record.created = timeFromJson(object.at("created"));
    record.ended = timeFromJson(object.at("ended"));
    record.runtimeHash = text(object.at("runtime_hash"));
    record.plan = planFromJson(object.at("plan"));
    record.launched = object.at("launched").get<bool>();
    record.attempt = object.at("attempt").get<int>();
    record.outcome = outcomeFromName(text(object.at("outcome")));
    for (const auto& error : object.at("errors"))
        record.errors.append(errorFromJson(error));
    if (const auto& failure = object.at("failure"); failure.is_object())
        record.failure = failureFromJson(failure);
    record.steps = object.at("steps").get<qint64>();
    record.firstLoss = wire::fromJsonNumber(object.at("first_loss"));
    record.lastLoss = wire::fromJsonNumber(object.at("last_loss"));
    record.model = text(object.at("model"));
    return record;
}

} // namespace

QByteArray toJsonText(const RunRecord& record) {
    json errors = json::array();
    for (const auto& error : record.errors)
        errors.push_back(errorToJson(error));
    const json object = {
        {"format", runFormat},
        {"id", text(record.id)},
        {"name", text(record.name)},
        {"created", timeToJson(record.created)},
        {"ended", timeToJson(record.ended)},
        {"runtime_hash", text(record.runtimeHash)},
        {"plan", planToJson(record.plan)},
        {"launched", record.launched},
        {"attempt", record.attempt},
        {"outcome", text(core::outcomeName(record.outcome))},
        {"errors", std::move(errors)},
        {"failure", record.failure ? failureToJson(*record.failure) : json(nullptr)},
        {"steps", record.steps},
        {"first_loss", record.firstLoss ? wire::toJsonNumber(*record.firstLoss) : json(nullptr)},
        {"last_loss", record.lastLoss ? wire::toJsonNumber(*record.lastLoss) : json(nullptr)},
        {"model", text(record.model)}};
    return QByteArray::fromStdString(object.dump(2, ' ', false, json::error_handler_t::replace)) + '\n';
}

core::Expected<RunRecord> parseRunRecord(const QByteArray& bytes) {
    const json object = json::parse(bytes.begin(), bytes.end(), nullptr, false);
    const auto damaged = [](const QString& seen) {
        return core::fail({core::ErrorCode::Damaged, {}, QStringLiteral("read run.json"), seen, {}});
    };
    if (!object.is_object())
        return damaged(QStringLiteral("it is not a JSON object"));
    try {
        const auto format = object.at("format").get<std::string>();
        if (!wire::isReadable(wire::matchFormat(format, runFormat)))
            return damaged(QString::fromStdString(wire::formatMismatch(format, runFormat)));
        return recordFromJson(object);
    } catch (const std::exception& e) {
        return damaged(QString::fromUtf8(e.what()));
    }
}

} // namespace coxswain::job
