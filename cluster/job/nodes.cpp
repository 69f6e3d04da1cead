// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/nodes.h"

#include "cluster/job/json.h"
#include "cluster/job/nodework.h"
#include "cluster/remote/hostpool.h"

#include <QDir>
#include <QFile>
#include <QSaveFile>

#include <algorithm>

namespace coxswain::job {
namespace {

using core::ErrorCode;
using nlohmann::json;
using State = NodeStatus::State;

constexpr const char* nodesFormat = "coxswain.nodes/1.0";

} // namespace

Nodes::Nodes(const Paths& paths, remote::HostPool& pool, QObject* parent)
    : QObject(parent), m_paths(paths), m_pool(pool) {
    load();
}

const NodeStatus* Nodes::find(const core::HostName& host) const {
    const auto found =
        std::find_if(m_nodes.begin(), m_nodes.end(), [&](const NodeStatus& n) { return n.host == host; });
    return found == m_nodes.end() ? nullptr : &*found;
}

NodeStatus* Nodes::edit(const core::HostName& host) {
    const auto found =
        std::find_if(m_nodes.begin(), m_nodes.end(), [&](const NodeStatus& n) { return n.host == host; });
    return found == m_nodes.end() ? nullptr : &*found;
}

core::Expected<QList<core::HostName>> Nodes::add(QStringView text) {
    const auto hosts = core::parseHostList(text);
    if (!hosts)
        return core::fail(hosts.error());
    QList<core::HostName> added;
    for (const auto& host : *hosts)
        if (!find(host)) {
            NodeStatus status;
            status.host = host;
            m_nodes.append(std::move(status));
            added.append(host);
        }
    if (auto saved = save(); !saved)
        return core::fail(saved.error());
    emit changed();
    return added;
}

void Nodes::remove(const QList<core::HostName>& hosts) {
    m_nodes.removeIf([&](const NodeStatus& node) { return hosts.contains(node.host); });
    if (auto saved = save(); !saved)
        qWarning("%s", qPrintable(saved.error().text()));
    emit changed();
}

void Nodes::check(const QList<core::HostName>& hosts, const core::Requirements& needs) {
    for (const auto& host : hosts) {
        NodeStatus* node = edit(host);
        if (!node || node->state == State::Checking)
            continue;
        node->state = State::Checking;
        ++m_running;
        m_pool.run<core::Inventory>(
            host,
            [](remote::HostSession& session, const remote::CancelToken& cancel) {
                return probeNode(session, cancel);
            },
            this,
            [this, host, needs](core::Expected<core::Inventory> inventory) {
                checked(host, needs, std::move(inventory));
            });
    }
    emit changed();
    if (m_running == 0)
        emit checkFinished();
}

void Nodes::checked(const core::HostName& host, const core::Requirements& needs,
                    core::Expected<core::Inventory> inventory) {
    if (NodeStatus* node = edit(host)) { // it may have been removed meanwhile
        const QString name = host.toString();
        node->checkedAt = QDateTime::currentDateTime();
        if (inventory) {
            node->state = State::Reached;
            node->error.reset();
            node->checks = core::judgeNode(name, inventory, needs);
            node->inventory = std::move(*inventory);
        } else if (inventory.error().code == ErrorCode::Cancelled) {
            node->state = node->inventory ? State::Reached : State::NotChecked;
        } else {
            node->state = State::Failed;
            node->inventory.reset();
            node->error = inventory.error();
            node->checks = core::judgeNode(name, inventory, needs);
        }
    }
    --m_running;
    emit changed();
    if (m_running == 0)
        emit checkFinished();
}

void Nodes::cancel(const QList<core::HostName>& hosts) {
    for (const auto& host : hosts)
        m_pool.cancel(host);
}

QList<core::CheckResult> Nodes::together(const QList<core::HostName>& hosts,
                                         const core::Requirements& needs) const {
    QStringList names;
    QList<core::Inventory> inventories;
    for (const auto& host : hosts)
        if (const NodeStatus* node = find(host); node && node->inventory) {
            names.append(host.toString());
            inventories.append(*node->inventory);
        }
    return names.size() < 2 ? QList<core::CheckResult>() : core::checkTogether(names, inventories, needs);
}

void Nodes::clean(const QList<core::HostName>& hosts, QObject* context, const CleanDone& done) {
    for (const auto& host : hosts)
        m_pool.run<QString>(
            host,
            [](remote::HostSession& session, const remote::CancelToken& cancel) -> core::Expected<QString> {
                const auto agent = session.agent(cancel);
                if (!agent)
                    return core::fail(agent.error());
                const QString base = (*agent)->greeting().base;
                const auto removed =
                    (*agent)->clean({}, remote::HostSession::within(std::chrono::seconds(120), cancel));
                if (!removed)
                    return core::fail(removed.error());
                return QStringLiteral("%1 MB removed from %2")
                    .arg(static_cast<double>(*removed) / 1e6, 0, 'f', 1)
                    .arg(base);
            },
            context, [host, done](core::Expected<QString> result) { done(host, std::move(result)); });
}

void Nodes::load() {
    QFile file(m_paths.config + QStringLiteral("/nodes.json"));
    if (!file.open(QIODevice::ReadOnly))
        return;
    const QByteArray bytes = file.readAll();
    const json object = json::parse(bytes.begin(), bytes.end(), nullptr, false);
    const json nodes = object.is_object() ? object.value("nodes", json::array()) : json::array();
    for (const auto& name : nodes)
        if (name.is_string())
            if (const auto hosts = core::parseHostList(text(name)))
                for (const auto& host : *hosts) {
                    NodeStatus status;
                    status.host = host;
                    m_nodes.append(std::move(status));
                }
}

core::Expected<void> Nodes::save() const {
    json names = json::array();
    for (const auto& node : m_nodes)
        names.push_back(text(node.host.toString()));
    const std::string bytes = json{{"format", nodesFormat}, {"nodes", std::move(names)}}.dump(2) + '\n';
    QDir().mkpath(m_paths.config);
    QSaveFile file(m_paths.config + QStringLiteral("/nodes.json"));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes.data(), static_cast<qint64>(bytes.size())) < 0 ||
        !file.commit())
        return core::fail(
            {ErrorCode::Permission, {}, QStringLiteral("write ") + file.fileName(), file.errorString(), {}});
    return {};
}

} // namespace coxswain::job
