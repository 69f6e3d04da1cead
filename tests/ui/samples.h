// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/nodes.h"
#include "tests/core/samplenodes.h"

/// Nodes as the window is given them.
namespace coxswain::ui::samples {

inline job::NodeStatus checkedNode(int n, int gpus = 0) {
    job::NodeStatus node;
    node.host = {{}, QStringLiteral("node%1").arg(n), 0};
    node.state = job::NodeStatus::State::Reached;
    node.checkedAt = QDateTime::currentDateTime();
    node.inventory = core::samples::healthyNode(n, gpus);
    node.checks = core::checkNode(node.host.toString(), *node.inventory, {});
    return node;
}

inline job::NodeStatus unreachedNode(int n) {
    job::NodeStatus node;
    node.host = {{}, QStringLiteral("node%1").arg(n), 0};
    node.state = job::NodeStatus::State::Failed;
    node.checkedAt = QDateTime::currentDateTime();
    node.error =
        core::Error{core::ErrorCode::Connect, node.host.toString(), QStringLiteral("connect to port 22"),
                    QStringLiteral("connection refused"), QStringLiteral("ssh node%1 true").arg(n)};
    node.checks = {core::unreachable(node.host.toString(), *node.error)};
    return node;
}

inline job::NodeStatus uncheckedNode(int n) {
    job::NodeStatus node;
    node.host = {{}, QStringLiteral("node%1").arg(n), 0};
    return node;
}

inline job::NodeStatus thisMachine() {
    job::NodeStatus node = checkedNode(9);
    node.host = {{}, QStringLiteral("local"), 0};
    return node;
}

} // namespace coxswain::ui::samples
