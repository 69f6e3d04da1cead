// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentdriver.h"
#include "trainer/wire/bundle.h"
#include "trainer/wire/state.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>
#include <unistd.h>

#include <optional>

using namespace coxswain;
using namespace coxswain::test;
using Phase = wire::SupervisorState::Phase;

/// Jobs whose "mpirun" is a shell script: supervised, watched, signalled, ended, cleaned.
class AgentJobsTest : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> m_folder;
    std::optional<AgentDriver> m_driver;
    std::string m_job;

    QString base() const { return m_folder->path(); }
    QString jobPath(const QString& name) const {
        return base() + "/jobs/" + QString::fromStdString(m_job) + '/' + name;
    }
    json job(json more = json::object()) const {
        more["job"] = m_job;
        return more;
    }

    void writeLaunch(const std::vector<std::string>& argv, const Environment& environment = {}) {
        const wire::LaunchFile launch{argv, environment, jobPath("").toStdString()};
        writeFile(jobPath("launch.json"), QByteArray::fromStdString(wire::toJsonText(launch)));
    }
    /// Starts `script` as the job's mpirun.
    wire::SupervisorState start(const std::string& script, int attempt = 1) {
        writeLaunch({"/bin/sh", "-c", script});
        const auto reply = m_driver->ask("supervise", job({{"attempt", attempt}}));
        const auto state = wire::parseSupervisorState(reply.body.value("state", reply.body.dump()));
        if (!state)
            qWarning("supervise: %s", reply.body.dump().c_str());
        return state.value_or(wire::SupervisorState{});
    }
    std::optional<wire::SupervisorState> state() const {
        const auto read = wire::parseSupervisorState(readFile(jobPath("state.json")).toStdString());
        return read ? std::optional(*read) : std::nullopt;
    }
    bool hasExited() const {
        const auto now = state();
        return now && now->phase == Phase::Exited && !isAlive(now->supervisorPid);
    }
    std::size_t processCount() { return m_driver->ask("processes", job()).body["processes"].size(); }

private slots:
    void init() {
        m_folder.emplace();
        m_driver.emplace(base());
        m_job = "test-" + std::to_string(::getpid()) + '-' + QTest::currentTestFunction();
        QDir().mkpath(jobPath(""));
    }
    void cleanup() {
        if (m_driver->ask("kill", job()).body.value("left", json::array()).empty()) {
            m_driver.reset();
            m_folder.reset();
        }
    }

    void runsAndRecords() {
        const auto started = start("echo to out; echo to err >&2; exit 7", 3);
        QCOMPARE(started.job, m_job);
        QCOMPARE(started.attempt, 3);
        QVERIFY(started.supervisorPid > 0 && started.startedAt > 1.7e9);
        QTRY_VERIFY(hasExited());
        const auto ended = *state();
        QCOMPARE(ended.exitStatus, std::optional(7));
        QVERIFY(!ended.signal);
        QVERIFY(ended.endedAt >= ended.startedAt);
        QCOMPARE(readFile(jobPath("out/mpirun.log")), "to out\nto err\n");
        QCOMPARE(modeOf(jobPath("out/mpirun.log")), 0600);
        QCOMPARE(modeOf(jobPath("state.json")), 0600);
    }

    void leavesNoSecretsAndNoTemporaryFiles() {
        writeFile(jobPath("job_key"), "secret", 0600);
        start("echo $TMPDIR; touch \"$TMPDIR/x\"; exit 0");
        QTRY_VERIFY(hasExited());
        QCOMPARE(readFile(jobPath("out/mpirun.log")), jobPath("tmp").toUtf8() + '\n');
        QVERIFY(!QFile::exists(jobPath("job_key")));
        QVERIFY(!QFile::exists(jobPath("tmp")));
    }

    void recordsTheSignal() {
        start("kill -SEGV $$");
        QTRY_VERIFY(hasExited());
        QCOMPARE(state()->signal, std::optional(SIGSEGV));
        QVERIFY(!state()->exitStatus);
    }

    void environmentAndFolder() {
        writeLaunch({"/bin/sh", "-c", "pwd; echo $COXSWAIN_JOB $EXTRA; umask; cat"}, {{"EXTRA", "a b"}});
        QVERIFY(m_driver->ask("supervise", job({{"attempt", 1}})).isAnswer());
        QTRY_VERIFY(hasExited()); // cat ends: there is nothing on standard input
        const QString folder = QDir(jobPath("")).canonicalPath();
        QCOMPARE(readFile(jobPath("out/mpirun.log")),
                 (folder + '\n' + QString::fromStdString(m_job) + " a b\n0077\n").toUtf8());
    }

    void saysWhyMpirunDidNotStart() {
        writeLaunch({"/nonexistent/mpirun"});
        const auto reply = m_driver->ask("supervise", job({{"attempt", 1}}));
        const auto state = wire::parseSupervisorState(reply.body.value("state", ""));
        QVERIFY(state.has_value());
        QCOMPARE(state->phase, Phase::Exited);
        QVERIFY2(state->message.find("/nonexistent/mpirun: No such file") != std::string::npos,
                 state->message.c_str());

        writeFile(jobPath("launch.json"), "{");
        const auto damaged = m_driver->ask("supervise", job({{"attempt", 1}}));
        const auto second = wire::parseSupervisorState(damaged.body.value("state", ""));
        QVERIFY(second.has_value());
        QVERIFY2(second->message.find("launch.json") != std::string::npos, second->message.c_str());
    }

    void outlivesTheAgent() {
        const auto started = start("while :; do echo tick; sleep 0.05; done");
        QCOMPARE(started.phase, Phase::Running);
        ::kill(m_driver->pid(), SIGKILL);
        QCOMPARE(m_driver->waitForEnd(), 128 + SIGKILL);
        const qint64 before = readFile(jobPath("out/mpirun.log")).size();
        QTRY_VERIFY(readFile(jobPath("out/mpirun.log")).size() > before);
        QVERIFY(isAlive(started.supervisorPid));
        QVERIFY(isAlive(started.mpirunPid));
        QVERIFY(::getsid(started.supervisorPid) != ::getsid(0));

        m_driver.emplace(base());
        QCOMPARE(processCount() >= 2, true);
        QCOMPARE(m_driver->ask("kill", job()).body["left"], json::array());
        QVERIFY(!isAlive(started.mpirunPid));
        QTRY_VERIFY(hasExited());
    }

    void oneAtATime() {
        const auto started = start("exec sleep 30");
        const auto again = m_driver->ask("supervise", job({{"attempt", 2}}));
        QCOMPARE(again.code(), "conflict");
        QVERIFY(isAlive(started.mpirunPid));
    }

    void startsAfterAPowerCut() {
        // The node was switched off within a run: the supervisor's number is now some other process's.
        wire::SupervisorState old;
        old.job = m_job;
        old.phase = Phase::Running;
        old.supervisorPid = int(::getpid());
        old.mpirunPid = int(::getpid());
        writeFile(jobPath("state.json"), QByteArray::fromStdString(wire::toJsonText(old)));
        QCOMPARE(m_driver->ask("signal", job({{"signal", SIGKILL}})).code(),
                 "missing"); // or we were dead now
        const auto started = start("exec sleep 30", 2);
        QCOMPARE(started.phase, Phase::Running);
        QCOMPARE(started.attempt, 2);
    }

    void signalsMpirun() {
        const auto started =
            start("trap 'echo got it; exit 4' USR1; echo ready; while :; do sleep 0.02; done");
        QTRY_COMPARE(readFile(jobPath("out/mpirun.log")), "ready\n");
        QVERIFY(m_driver->ask("signal", job({{"signal", SIGUSR1}})).isAnswer());
        QTRY_VERIFY(hasExited());
        QCOMPARE(readFile(jobPath("out/mpirun.log")), "ready\ngot it\n");
        QCOMPARE(state()->exitStatus, std::optional(4));
        QVERIFY(!isAlive(started.mpirunPid));
        const auto late = m_driver->ask("signal", job({{"signal", SIGUSR1}}));
        QCOMPARE(late.code(), "missing");
    }

    void findsAndEndsEveryProcess() {
        // Orphans in sessions of their own, as ranks of a dead mpirun are, and one that ignores SIGTERM.
        start("setsid sleep 60 & setsid sh -c 'trap \"\" TERM; echo up; while :; do sleep 0.1; done' & wait");
        QTRY_COMPARE(readFile(jobPath("out/mpirun.log")), "up\n");
        const json list = m_driver->ask("processes", job()).body["processes"];
        int keepers = 0;
        bool sleeper = false;
        for (const auto& process : list) {
            keepers += process["keeper"].get<bool>();
            sleeper = sleeper || process["command"].get<std::string>().starts_with("sleep 60");
            QVERIFY(process["pid"].get<int>() != m_driver->pid());
        }
        QVERIFY2(sleeper && keepers == 1 && list.size() >= 4, list.dump().c_str());

        QElapsedTimer timer;
        timer.start();
        QCOMPARE(m_driver->ask("kill", job()).body["left"], json::array());
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
        for (const auto& process : list)
            QVERIFY(!isAlive(process["pid"].get<pid_t>()));
        QCOMPARE(state()->phase, Phase::Exited); // the supervisor had time to write how it ended
        QCOMPARE(processCount(), 0u);
    }

    void touchesOnlyItsOwnJob() {
        const auto started = start("exec sleep 30");
        const std::string longer = m_job + "-2";
        for (const std::string& other : {longer, m_job.substr(0, m_job.size() - 1), std::string("x")}) {
            QCOMPARE(m_driver->ask("processes", {{"job", other}}).body["processes"], json::array());
            QCOMPARE(m_driver->ask("kill", {{"job", other}}).body["left"], json::array());
        }
        QVERIFY(isAlive(started.mpirunPid));
    }

    void refusesNamesThatArePaths() {
        for (const char* name : {"../x", "a/b", "", ".", "..", ".hidden", "a b", "a=b", "a\nb"})
            for (const char* request :
                 {"supervise", "sample", "signal", "processes", "kill", "clean", "revoke"}) {
                const auto reply = m_driver->ask(
                    request,
                    {{"job", name}, {"attempt", 1}, {"node", 0}, {"interval_ms", 100}, {"signal", 0}});
                QCOMPARE(reply.code(), "bad_input");
            }
    }

    void listsJobs() {
        QCOMPARE(m_driver->ask("list-jobs").body["jobs"].size(), 1u);
        start("exec sleep 30");
        QDir().mkpath(base() + "/jobs/idle");
        json jobs = m_driver->ask("list-jobs").body["jobs"];
        QCOMPARE(jobs.size(), 2u);
        if (jobs[0]["job"] == "idle")
            std::swap(jobs[0], jobs[1]);
        QCOMPARE(jobs[0]["job"].get<std::string>(), m_job);
        QVERIFY(jobs[0]["processes"].get<int>() >= 2);
        QVERIFY(wire::parseSupervisorState(jobs[0]["state"].get<std::string>()).has_value());
        QVERIFY(jobs[1]["state"].is_null());
        QCOMPARE(jobs[1]["processes"].get<int>(), 0);
    }

    void cleansOnlyWhatIsIdle() {
        start("exec sleep 30");
        writeFile(base() + "/store/abc", QByteArray(1000, 'x'));
        writeFile(base() + "/own", "not Coxswain's");
        for (const json& request : {job(), json::object()}) {
            const auto busy = m_driver->ask("clean", request);
            QCOMPARE(busy.code(), "conflict");
            QVERIFY(busy.body["seen"].get<std::string>().find("still run") != std::string::npos);
        }
        QCOMPARE(m_driver->ask("kill", job()).body["left"], json::array());
        const auto one = m_driver->ask("clean", job());
        QVERIFY2(one.isAnswer(), one.body.dump().c_str());
        QVERIFY(one.body["removed"].get<int>() > 0);
        QVERIFY(!QFile::exists(jobPath("")));
        QVERIFY(QFile::exists(base() + "/store/abc"));
        QVERIFY(m_driver->ask("clean", job()).isAnswer()); // nothing there: nothing to do

        const auto all = m_driver->ask("clean");
        QCOMPARE(all.body["removed"].get<int>() >= 1000, true);
        QCOMPARE(QDir(base()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{"own"});
    }
};

QTEST_GUILESS_MAIN(AgentJobsTest)
#include "tst_agentjobs.moc"
