// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "cluster/job/json.h"

#include <QEventLoop>

namespace coxswain::cli {
namespace {

using nlohmann::json;

int list(app::Context& context, bool asJson) {
    json names = json::array();
    for (const auto& node : context.nodes().list()) {
        names.push_back(job::text(node.host.toString()));
        if (!asJson)
            print(node.host.toString());
    }
    if (asJson)
        printJson({{"nodes", std::move(names)}});
    return 0;
}

int add(app::Context& context, const QString& text, bool asJson) {
    const auto added = context.nodes().add(text);
    if (!added) {
        complain(added.error());
        return 1;
    }
    json names = json::array();
    for (const auto& host : *added) {
        names.push_back(job::text(host.toString()));
        if (!asJson)
            print(QStringLiteral("added ") + host.toString());
    }
    if (asJson)
        printJson({{"added", std::move(names)}});
    return 0;
}

int remove(app::Context& context, const QList<core::HostName>& hosts, bool asJson) {
    for (const auto& host : hosts)
        if (!context.nodes().find(host)) {
            complain(host.toString() +
                     QStringLiteral(" is not a known node; 'coxswain-cli nodes list' shows them"));
            return 1;
        }
    context.nodes().remove(hosts);
    if (asJson)
        printJson({{"removed", hosts.size()}});
    return 0;
}

int clean(app::Context& context, const QList<core::HostName>& hosts, bool asJson) {
    QEventLoop loop;
    qsizetype left = hosts.size();
    int status = 0;
    json results = json::array();
    context.nodes().clean(
        hosts, &loop, [&](const core::HostName& host, const core::Expected<QString>& result) {
            if (!result) {
                complain(result.error());
                status = 1;
            } else if (!asJson) {
                print(host.toString() + QStringLiteral(": ") + *result);
            }
            results.push_back({{"node", job::text(host.toString())},
                               {"clean", result.has_value()},
                               {"text", job::text(result ? *result : result.error().text())}});
            if (--left == 0)
                loop.quit();
        });
    if (left > 0)
        loop.exec();
    if (asJson)
        printJson({{"nodes", std::move(results)}});
    return status;
}

} // namespace

int nodesVerb(const QStringList& given) {
    Arguments arguments(
        QStringLiteral("nodes"),
        QStringLiteral(
            "nodes add NODES…      add to the known nodes\n"
            "nodes list            show them\n"
            "nodes remove NODES…   forget them\n"
            "nodes clean [NODES…]  remove all that Coxswain ever put on the nodes (default: all known ones)"),
        QStringLiteral("ACTION [NODES…]"));
    arguments.addLogin();
    arguments.addJson();
    arguments.addNodes();
    if (const auto status = arguments.process(given, 1, 1000))
        return *status;
    const QString action = arguments.positional().first();
    app::Context context(arguments.login(), false);
    QStringList names = arguments.positional().mid(1);
    if (action == QLatin1String("clean") && names.isEmpty())
        for (const auto& node : context.nodes().list())
            names.append(node.host.toString());
    const auto hosts = arguments.nodes(names);
    if (!hosts) {
        complain(hosts.error());
        return 2;
    }
    if (action == QLatin1String("list"))
        return list(context, arguments.json());
    const bool known = action == QLatin1String("add") || action == QLatin1String("remove") ||
                       action == QLatin1String("clean");
    if (!known || hosts->isEmpty()) {
        complain(
            known ? QStringLiteral("expected at least one node")
                  : QStringLiteral("unknown action '%1': expected add, list, remove or clean").arg(action));
        return 2;
    }
    if (action == QLatin1String("remove"))
        return remove(context, *hosts, arguments.json());
    if (action == QLatin1String("clean"))
        return clean(context, *hosts, arguments.json());
    QStringList all;
    for (const auto& host : *hosts)
        all.append(host.toString());
    return add(context, all.join(QLatin1Char(' ')), arguments.json());
}

} // namespace coxswain::cli
