// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/output.h"
#include "app/cli/probing.h"
#include "app/cli/verbs.h"
#include "cluster/job/json.h"

namespace coxswain::cli {
namespace {

using core::Severity;
using nlohmann::json;

const char* symbol(Severity severity) {
    switch (severity) {
    case Severity::Ok:
        return "✓";
    case Severity::Info:
        return "·";
    case Severity::Warning:
        return "!";
    case Severity::Error:
        return "✗";
    case Severity::Unknown:
        return "?";
    }
    return "?";
}

struct Judged {
    QString node;
    QList<core::CheckResult> checks;
    QList<core::Gpu> gpus;
};

QList<Judged> judge(const QList<Probed>& probed, core::Requirements needs) {
    needs.several = probed.size() > 1;
    QList<Judged> judged;
    QStringList names;
    QList<core::Inventory> reached;
    for (const auto& node : probed) {
        const QString name = node.host.toString();
        judged.append({name, core::judgeNode(name, node.inventory, needs), {}});
        if (!node.inventory)
            continue;
        judged.last().gpus = node.inventory->nvidia.gpus;
        names.append(name);
        reached.append(*node.inventory);
    }
    if (names.size() > 1)
        for (const auto& check : core::checkTogether(names, reached, needs))
            for (auto& node : judged) // what concerns all nodes stands at each
                if (check.host.isEmpty() || check.host == node.node)
                    node.checks.append(check);
    return judged;
}

void printTable(const QList<Judged>& judged) {
    for (const auto& node : judged) {
        print(node.node);
        for (const auto& check : node.checks) {
            QString line = QStringLiteral("  %1 %2 %3")
                               .arg(QString::fromUtf8(symbol(check.severity)))
                               .arg(check.id, -16)
                               .arg(check.observed);
            if (check.severity == Severity::Error || check.severity == Severity::Warning) {
                if (!check.expected.isEmpty())
                    line += QStringLiteral(" — expected ") + check.expected;
                if (!check.fix.isEmpty())
                    line += QStringLiteral("\n      fix: ") + check.fix;
            }
            print(line);
        }
        for (const auto& gpu : node.gpus)
            print(QStringLiteral("  %1 GPU %2: %3 %4")
                      .arg(QString::fromUtf8(symbol(gpu.usable ? Severity::Ok : Severity::Error)))
                      .arg(gpu.index)
                      .arg(gpu.name, gpu.why));
    }
}

} // namespace

int checkVerb(const QStringList& list) {
    Arguments arguments(QStringLiteral("check"),
                        QStringLiteral("Connects to nodes (default: the known ones, or this machine) and "
                                       "checks that they can run a job."),
                        QStringLiteral("[NODES…]"));
    arguments.addLogin();
    arguments.addJson();
    arguments.addNodes();
    arguments.parser().addOption({QStringLiteral("runtime"),
                                  QStringLiteral("What the nodes will run: auto, cpu or cu13."),
                                  QStringLiteral("NAME"), QStringLiteral("auto")});
    if (const auto status = arguments.process(list, 0, 1000))
        return *status;
    core::Requirements needs;
    needs.runtime = arguments.parser().value(QStringLiteral("runtime"));
    if (!QStringList{QStringLiteral("auto"), QStringLiteral("cpu"), QStringLiteral("cu13")}.contains(
            needs.runtime)) {
        complain(QStringLiteral("--runtime: expected auto, cpu or cu13"));
        return 2;
    }
    app::Context context(arguments.login(), false);
    QStringList otherwise = arguments.positional();
    for (const auto& node : context.nodes().list())
        if (arguments.positional().isEmpty())
            otherwise.append(node.host.toString());
    if (otherwise.isEmpty())
        otherwise.append(QStringLiteral("local"));
    const auto hosts = arguments.nodes(otherwise);
    if (!hosts) {
        complain(hosts.error());
        return 2;
    }
    const auto judged = judge(probeAll(context, *hosts), needs);
    bool ready = true;
    json nodes = json::array();
    for (const auto& node : judged) {
        ready = ready && core::isReady(node.checks);
        json checks = json::array();
        for (const auto& check : node.checks)
            checks.push_back(toJson(check));
        json gpus = json::array();
        for (const auto& gpu : node.gpus)
            gpus.push_back(toJson(gpu));
        nodes.push_back(
            {{"node", job::text(node.node)}, {"checks", std::move(checks)}, {"gpus", std::move(gpus)}});
    }
    if (arguments.json()) {
        printJson({{"ready", ready}, {"nodes", std::move(nodes)}});
    } else {
        printTable(judged);
        print(ready ? QStringLiteral("ready") : QStringLiteral("not ready"));
    }
    return ready ? 0 : 1;
}

} // namespace coxswain::cli
