// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/nodes.h"
#include "cluster/job/runs.h"

#include <QList>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace coxswain::ui {

/// What the plan panel shows. Pure data, made by planView().
struct PlanView {
    struct Fact {
        QString title;
        QString text;
        core::Severity severity = core::Severity::Ok; ///< Ok: nothing to note
        QString toolTip;
    };
    struct NodeRow {
        QString node;
        QString ranks;   ///< "0 to 3"
        QString devices; ///< "GPU 0, 1", or "8 threads each"
        QString lanes;   ///< sequences of every step
        QString memory;  ///< "1.2 GiB of 60 GiB"
        core::Severity severity = core::Severity::Ok;
    };
    QString problem;               ///< why there is no plan; empty when there is one
    QList<core::HostName> toCheck; ///< chosen nodes of which nothing is known: check them first
    QList<Fact> facts;
    QList<NodeRow> nodes;
    bool canRun = false;
};

using Estimate = std::function<core::Expected<job::SyncEstimate>(
    const wire::JobSpec& spec, const QString& jobFolder, const QString& runtime)>;

/// `spec` is nothing while the form has errors.
PlanView planView(const std::optional<wire::JobSpec>& spec, const std::vector<wire::FieldError>& errors,
                  const QList<job::NodeStatus>& nodes, const QString& jobFolder, const Estimate& estimate);

} // namespace coxswain::ui
