// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/jobstate.h"

#include <QTest>

using namespace coxswain::core;
using coxswain::wire::SupervisorState;

namespace {

Error lost(int node) {
    return {ErrorCode::Lost,
            QStringLiteral("node%1").arg(node),
            QStringLiteral("reach it"),
            QStringLiteral("gone"),
            {}};
}

SupervisorState supervisor(SupervisorState::Phase phase, int status = 0) {
    SupervisorState state;
    state.phase = phase;
    if (phase == SupervisorState::Phase::Exited)
        state.exitStatus = status;
    return state;
}

/// One word an event: "start2" (two nodes), "done0", "fail1", "ready", "notready", "launched", "step",
/// "running", "exit0", "exit1", "killed" (mpirun by a signal), "nostart" (it could not be started), "stop",
/// "now", "stopseen", "clean0", "left1" (something is left on node 1), "attach-starting|running|exit0|exit1".
Event eventOf(const QString& word) {
    const int node = word.back().digitValue();
    using Seen = SupervisorState::Phase;
    if (word.startsWith("start") && node > 0)
        return event::Start{node};
    if (word.startsWith("done"))
        return event::NodeDone{node};
    if (word.startsWith("fail"))
        return event::NodeFailed{node, lost(node)};
    if (word == "ready")
        return event::ChecksDone{true, {}};
    if (word == "notready")
        return event::ChecksDone{false, {ErrorCode::BadInput, {}, "plan", "no subnet", {}}};
    if (word == "launched")
        return event::Launched{};
    if (word == "step")
        return event::StepSeen{};
    if (word == "starting")
        return event::SupervisorSeen{supervisor(Seen::Starting)};
    if (word == "running")
        return event::SupervisorSeen{supervisor(Seen::Running)};
    if (word.startsWith("exit"))
        return event::SupervisorSeen{supervisor(Seen::Exited, node)};
    if (word == "killed" || word == "nostart") {
        SupervisorState state;
        state.phase = Seen::Exited;
        if (word == "killed")
            state.signal = 9;
        else
            state.message = "no such file: mpirun";
        return event::SupervisorSeen{state};
    }
    if (word == "stop" || word == "now")
        return event::StopRequested{word == "now"};
    if (word == "stopseen")
        return event::StopSeen{};
    if (word.startsWith("clean"))
        return event::NodeClean{node, {}};
    if (word.startsWith("left"))
        return event::NodeClean{node, {lost(node)}};
    if (word == "attach-starting")
        return event::Attach{2, supervisor(Seen::Starting)};
    if (word == "attach-running")
        return event::Attach{2, supervisor(Seen::Running)};
    if (word.startsWith("attach-exit"))
        return event::Attach{2, supervisor(Seen::Exited, node)};
    qFatal("unknown event %s", qPrintable(word));
}

/// "phase:effect+effect" for each event; the phase is left out where it stays, all where nothing happens
/// ("-").
QString run(const QString& events, JobState& state) {
    QStringList log;
    for (const QString& word : events.split(u' ')) {
        const Transition next = handle(state, eventOf(word));
        QString entry = next.state.phase == state.phase ? QString() : phaseName(next.state.phase);
        QStringList effects;
        for (const Effect effect : next.effects)
            effects.append(effectName(effect));
        if (!effects.isEmpty())
            entry += u':' + effects.join(u'+');
        log.append(entry.isEmpty() ? QStringLiteral("-") : entry);
        state = next.state;
    }
    return log.join(u' ');
}

const QString toTrain = "start2 done0 done1 done0 done1 ready done0 done1 launched step";
const QString toTrainLog =
    "connect:connect - check:check - - sync:sync - launch:launch first_step:follow train";

} // namespace

class JobStateTest : public QObject {
    Q_OBJECT
private slots:
    void table_data() {
        QTest::addColumn<QString>("events");
        QTest::addColumn<QString>("log");
        QTest::addColumn<QString>("outcome");
        QTest::addColumn<int>("errors");
        const auto row = [](const char* name, const QString& events, const QString& log, const char* outcome,
                            int errors) {
            QTest::newRow(name) << events << log << QString(outcome) << errors;
        };

        row("finished", toTrain + " exit0 clean0 clean1", toTrainLog + " clean:clean - ended:report",
            "finished", 0);
        row("a rank fails", toTrain + " exit3 clean1 clean0", toTrainLog + " clean:clean - ended:report",
            "failed", 1);
        row("mpirun is killed", toTrain + " killed", toTrainLog + " clean:clean", "failed", 1);
        row("stopped", toTrain + " stop exit0 clean0 clean1",
            toTrainLog + " stop:graceful_stop clean:clean - ended:report", "stopped", 0);
        row("stopped twice", toTrain + " stop stop", toTrainLog + " stop:graceful_stop -", "", 0);
        row("a stop that fails", toTrain + " stop exit1", toTrainLog + " stop:graceful_stop clean:clean",
            "failed", 1);
        row("end now", toTrain + " now exit1 clean0 clean1",
            toTrainLog + " stop:kill clean:clean - ended:report", "stopped", 0);
        row("stop, then end now", toTrain + " stop now now killed",
            toTrainLog + " stop:graceful_stop :kill - clean:clean", "stopped", 0);
        row("somebody else stops it", toTrain + " stopseen exit0", toTrainLog + " stop clean:clean",
            "stopped", 0);
        row("steps after a stop", toTrain + " stop step running", toTrainLog + " stop:graceful_stop - -", "",
            0);
        row("a lost node does not fail training", toTrain + " fail1 fail0 step exit0",
            toTrainLog + " - - - clean:clean", "finished", 0);
        row("a lost node in clean", toTrain + " exit0 fail1 clean0",
            toTrainLog + " clean:clean - ended:report", "finished", 1);
        row("something is left", toTrain + " exit0 left1 clean0", toTrainLog + " clean:clean - ended:report",
            "finished", 1);
        row("clean twice", toTrain + " exit0 clean0 clean0 fail0 left0", toTrainLog + " clean:clean - - - -",
            "finished", 0);

        row("unreachable", "start2 fail1", "connect:connect ended:cancel+report", "failed", 1);
        row("late answers", "start2 fail1 done0 done1 fail0", "connect:connect ended:cancel+report - - -",
            "failed", 1);
        row("done twice", "start2 done0 done0", "connect:connect - -", "", 0);
        row("not ready", "start2 done0 done1 done0 done1 notready",
            "connect:connect - check:check - - ended:cancel+report", "failed", 1);
        row("full disk in sync", "start2 done0 done1 ready done0 fail1 clean0 clean1",
            "connect:connect - check:check sync:sync - clean:cancel+clean - ended:report", "failed", 1);
        row("launch fails", "start1 done0 ready done0 fail0 clean0",
            "connect:connect check:check sync:sync launch:launch clean:cancel+clean ended:report", "failed",
            1);
        row("mpirun cannot start", "start1 done0 ready done0 nostart clean0",
            "connect:connect check:check sync:sync launch:launch clean:follow+clean ended:report", "failed",
            1);
        row("seen running before told", "start1 done0 ready done0 starting running launched step",
            "connect:connect check:check sync:sync launch:launch - first_step:follow - train", "", 0);
        row("ends before the first step", "start1 done0 ready done0 launched exit1",
            "connect:connect check:check sync:sync launch:launch first_step:follow clean:clean", "failed", 1);

        row("stop in connect", "start2 done0 stop", "connect:connect - ended:cancel+report", "stopped", 0);
        row("now in check", "start1 done0 now", "connect:connect check:check ended:cancel+report", "stopped",
            0);
        row("stop in sync", "start1 done0 ready stop clean0",
            "connect:connect check:check sync:sync clean:cancel+clean ended:report", "stopped", 0);
        row("stop in launch", "start1 done0 ready done0 stop launched running clean0",
            "connect:connect check:check sync:sync launch:launch clean:cancel+clean - - ended:report",
            "stopped", 0);
        row("stop in first step", "start1 done0 ready done0 launched stop exit0",
            "connect:connect check:check sync:sync launch:launch first_step:follow stop:graceful_stop "
            "clean:clean",
            "stopped", 0);

        row("attach while starting", "attach-starting running step exit0",
            "launch:follow first_step train clean:clean", "finished", 0);
        row("attach while running", "attach-running step stop exit0 clean0 clean1",
            "first_step:follow train stop:graceful_stop clean:clean - ended:report", "stopped", 0);
        row("attach after the end", "attach-exit0 clean0 clean1", "clean:follow+clean - ended:report",
            "finished", 0);
        row("attach after a failure", "attach-exit2", "clean:follow+clean", "failed", 1);

        row("nothing means anything before the start",
            "done0 fail0 ready launched step running exit0 stop now stopseen clean0", "- - - - - - - - - - -",
            "", 0);
        row("nothing means anything after the end",
            "start1 fail0 start1 attach-running done0 fail0 ready launched step exit0 stop now clean0",
            "connect:connect ended:cancel+report - - - - - - - - - - -", "failed", 1);
    }
    void table() {
        QFETCH(QString, events);
        QFETCH(QString, log);
        QFETCH(QString, outcome);
        QFETCH(int, errors);
        JobState state;
        QCOMPARE(run(events, state), log);
        QCOMPARE(outcomeName(state.outcome), outcome);
        QCOMPARE(state.errors.size(), errors);
        QCOMPARE(state.phase == Phase::Ended, log.endsWith("report") || log.contains("report -"));
    }

    void firstErrorIsTheCause() {
        JobState state;
        run(toTrain + " exit7 left1 fail0", state);
        QCOMPARE(state.errors.size(), 3);
        QCOMPARE(state.errors[0].seen, QString("mpirun ended with status 7"));
        QCOMPARE(state.errors[1].host, QString("node1"));
    }

    void whatAPersonMayDo_data() {
        QTest::addColumn<QString>("events");
        QTest::addColumn<bool>("stop");
        QTest::addColumn<bool>("now");
        QTest::newRow("connect") << "start1" << true << false;
        QTest::newRow("sync") << "start1 done0 ready" << true << false;
        QTest::newRow("launch") << "start1 done0 ready done0" << true << false;
        QTest::newRow("first step") << "start1 done0 ready done0 launched" << true << true;
        QTest::newRow("train") << toTrain << true << true;
        QTest::newRow("stopping") << toTrain + " stop" << false << true;
        QTest::newRow("ending") << toTrain + " now" << false << false;
        QTest::newRow("clean") << toTrain + " exit0" << false << false;
        QTest::newRow("ended") << "start1 fail0" << false << false;
    }
    void whatAPersonMayDo() {
        QFETCH(QString, events);
        QFETCH(bool, stop);
        QFETCH(bool, now);
        QCOMPARE(canStop({}), false);
        JobState state;
        run(events, state);
        QCOMPARE(canStop(state), stop);
        QCOMPARE(canEndNow(state), now);
        // What is not allowed has no effect, so that a view's late click harms nothing.
        QCOMPARE(handle(state, event::StopRequested{false}).effects.isEmpty(), !stop);
    }
};

QTEST_APPLESS_MAIN(JobStateTest)
#include "tst_jobstate.moc"
