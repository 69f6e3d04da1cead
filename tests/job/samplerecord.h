// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/launchplan.h"
#include "cluster/job/runrecord.h"

namespace coxswain::test {

/// A record with something in every field.
inline job::RunRecord sampleRecord() {
    job::RunRecord record;
    record.id = core::makeJobId();
    record.name = QStringLiteral("verses, \"quoted\" ✓");
    record.created = QDateTime::fromString(QStringLiteral("2026-12-01T10:20:30.400Z"), Qt::ISODateWithMs);
    record.ended = record.created.addSecs(61);
    record.runtimeHash = QString(64, QLatin1Char('a'));
    record.plan.spec.id = record.id.toStdString();
    record.plan.spec.model.config = {{"model_type", "qwen2"}};
    record.plan.spec.data.source.path = "/data/kjv.txt";
    record.plan.runtime = QStringLiteral("cpu");
    record.plan.runtimeReason = QStringLiteral("no GPU");
    record.plan.worldSize = 3;
    record.plan.subnet = core::Subnet{QStringLiteral("10.0.0.0/24")};
    record.plan.tokensPerStep = 1536;
    record.plan.parameters = 1'625'408;
    record.plan.memoryPerRank = 400'000'000;
    for (int i = 0; i < 2; ++i) {
        core::PlannedNode node;
        node.host = {QStringLiteral("ada"), QStringLiteral("box%1").arg(i), 2222};
        node.index = i;
        node.address = QStringLiteral("10.0.0.%1").arg(i + 1);
        node.interfaceName = QStringLiteral("eth0");
        node.base = QStringLiteral("/home/ada/.coxswain");
        node.firstRank = i == 0 ? 0 : 2;
        node.rankCount = i == 0 ? 2 : 1;
        node.gpus = {0, 3};
        node.lanes = {i * 8, 8 - 4 * i};
        node.threadsPerRank = 4;
        record.plan.nodes.append(node);
    }
    record.launched = true;
    record.attempt = 2;
    record.outcome = core::Outcome::Failed;
    record.errors = {{core::ErrorCode::Lost, QStringLiteral("box1"), QStringLiteral("hear"),
                      QStringLiteral("nothing"), QStringLiteral("look")}};
    record.failure = core::FailureCard{1,
                                       QStringLiteral("ada@box0:2222"),
                                       QStringLiteral("SIGKILL"),
                                       137,
                                       QStringLiteral("rank 1 …"),
                                       QStringLiteral("detail"),
                                       QStringLiteral("fix"),
                                       {QStringLiteral("then")}};
    record.steps = 12;
    record.firstLoss = 5.5;
    record.lastLoss = std::numeric_limits<double>::quiet_NaN();
    record.model = QStringLiteral("box0:/x");
    return record;
}

} // namespace coxswain::test
