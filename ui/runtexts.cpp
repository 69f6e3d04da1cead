// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runtexts.h"

#include "ui/nodefacts.h"

#include <QCoreApplication>

namespace coxswain::ui::runtexts {
namespace {

using core::Outcome;
using core::Phase;
using core::Severity;

QString tr(const char* text) {
    return QCoreApplication::translate("RunTexts", text);
}

QString outcomeText(Outcome outcome) {
    switch (outcome) {
    case Outcome::Finished:
        return tr("Finished");
    case Outcome::Stopped:
        return tr("Stopped");
    case Outcome::Failed:
        return tr("Failed");
    case Outcome::None:
        break;
    }
    return tr("Ended");
}

Severity outcomeSeverity(Outcome outcome) {
    switch (outcome) {
    case Outcome::Finished:
        return Severity::Ok;
    case Outcome::Stopped:
        return Severity::Info;
    case Outcome::Failed:
        return Severity::Error;
    case Outcome::None:
        break;
    }
    return Severity::Unknown;
}

} // namespace

QString phaseTitle(Phase phase) {
    switch (phase) {
    case Phase::Idle:
        return tr("Waiting");
    case Phase::Connect:
        return tr("Connect");
    case Phase::Check:
        return tr("Check");
    case Phase::Sync:
        return tr("Sync");
    case Phase::Launch:
        return tr("Launch");
    case Phase::FirstStep:
        return tr("First step");
    case Phase::Train:
        return tr("Train");
    case Phase::Stop:
        return tr("Stop");
    case Phase::Clean:
        return tr("Clean up");
    case Phase::Ended:
        return tr("End");
    }
    return {};
}

QString stateText(const job::RunSnapshot& snapshot) {
    if (!snapshot.live)
        return stateText(snapshot.record);
    switch (snapshot.state.phase) {
    case Phase::Idle:
        return tr("Waiting");
    case Phase::Connect:
        return tr("Connecting");
    case Phase::Check:
        return tr("Checking nodes");
    case Phase::Sync:
        return tr("Syncing");
    case Phase::Launch:
        return tr("Launching");
    case Phase::FirstStep:
        return tr("Waiting for the first step");
    case Phase::Train:
        return tr("Training");
    case Phase::Stop:
        return snapshot.state.endNow ? tr("Ending now") : tr("Stopping: saving the model first");
    case Phase::Clean:
        return tr("Cleaning up");
    case Phase::Ended:
        return outcomeText(snapshot.state.outcome);
    }
    return {};
}

Severity stateSeverity(const job::RunSnapshot& snapshot) {
    if (!snapshot.live)
        return stateSeverity(snapshot.record);
    return snapshot.state.phase == Phase::Ended ? outcomeSeverity(snapshot.state.outcome) : Severity::Info;
}

bool mayBeRunning(const job::RunRecord& record) {
    return record.outcome == Outcome::None && record.launched && !record.ended.isValid();
}

QString stateText(const job::RunRecord& record) {
    if (record.outcome != Outcome::None)
        return outcomeText(record.outcome);
    return mayBeRunning(record) ? tr("Running") : tr("Not started");
}

Severity stateSeverity(const job::RunRecord& record) {
    return mayBeRunning(record) ? Severity::Info : outcomeSeverity(record.outcome);
}

QString linkText(job::NodeProgress::Link link) {
    using Link = job::NodeProgress::Link;
    switch (link) {
    case Link::None:
        return tr("Not connected");
    case Link::Connecting:
        return tr("Connecting …");
    case Link::Connected:
        return tr("Connected");
    case Link::Reconnecting:
        return tr("Reconnecting …");
    case Link::Lost:
        return tr("Lost");
    case Link::Clean:
        return tr("Verified clean");
    }
    return {};
}

QString nodesText(const core::Plan& plan) {
    QStringList names;
    for (const auto& node : plan.nodes)
        names.append(nodefacts::displayName(node.host));
    if (names.size() > 4)
        return tr("%1 and %2 more").arg(names.first()).arg(names.size() - 1);
    return names.join(QStringLiteral(", "));
}

QString cleanText(const job::RunSnapshot& snapshot) {
    if (!snapshot.live || snapshot.state.phase != Phase::Ended || !snapshot.state.touched ||
        snapshot.nodes.isEmpty())
        return {};
    QStringList open;
    for (const auto& node : snapshot.nodes)
        if (node.link != job::NodeProgress::Link::Clean)
            open.append(nodefacts::displayName(node.host));
    if (open.isEmpty())
        return tr("Every node is verified clean: no process of the run is left, and its keys are gone.");
    return tr("Not verified clean: %1. Something of the run may be left there.")
        .arg(open.join(QStringLiteral(", ")));
}

} // namespace coxswain::ui::runtexts
