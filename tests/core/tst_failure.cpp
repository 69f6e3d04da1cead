// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/failure.h"
#include "tests/core/samplenodes.h"

#include <QFile>
#include <QTest>

using namespace coxswain::core;
using namespace coxswain::core::samples;
namespace wire = coxswain::wire;
using wire::ExitCode;

namespace {

/// The job of the captures: node1 (head, rank 0), node2 (rank 1), node3 (ranks 2 and 3) in 10.85.0.0/24.
Plan plan() {
    wire::JobSpec spec = smallJob();
    QList<Candidate> nodes;
    for (int n = 1; n <= 3; ++n) {
        nodes.append({{QStringLiteral("me"), QStringLiteral("gpu%1").arg(n), 0}, healthyNode(n)});
        nodes.last().inventory.interfaces[1].address = QStringLiteral("10.85.0.%1").arg(n);
    }
    Plan made = *makePlan(spec, nodes);
    made.worldSize = 4;
    made.nodes[2].rankCount = 2;
    return made;
}

QByteArray capture(const char* name) {
    QFile file(QStringLiteral(CAPTURES "/%1.log").arg(QLatin1StringView(name)));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("no capture %s", name);
    return file.readAll();
}

RankError error(int rank, double time, ExitCode code, const char* message, int step = 5) {
    return {rank, time, {code, message, step}};
}

/// "rank|node|signal|status|headline"
QString summary(const std::optional<FailureCard>& card) {
    if (!card)
        return QStringLiteral("none");
    return QStringLiteral("%1|%2|%3|%4|%5")
        .arg(card->rank)
        .arg(card->node, card->signal)
        .arg(card->exitStatus ? QString::number(*card->exitStatus) : QString())
        .arg(card->headline);
}

} // namespace

class FailureTest : public QObject {
    Q_OBJECT
private slots:
    /// Outputs of mpirun 4.1.4 on three test hosts, in which the named thing was done to the job.
    void captures_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("card");
        QTest::addColumn<QString>("detail");
        QTest::addColumn<QString>("fix");
        const auto row = [](const char* name, int status, const char* card, const char* detail,
                            const char* fix) {
            QTest::newRow(name) << status << QString(card) << QString(detail) << QString(fix);
        };
        row("graceful", 0, "none", "", "");
        row("rank1-kill9", 137, "1|me@gpu2|SIGKILL||rank 1 on me@gpu2 was killed by SIGKILL",
            "process rank 1 with PID 216 on node 10.85.0.2 exited on signal 9", "dmesg");
        row("rank0-kill9", 137, "0|me@gpu1|SIGKILL||rank 0 on me@gpu1 was killed by SIGKILL", "signal 9",
            "dmesg");
        row("rank3-kill9", 137, "3|me@gpu3|SIGKILL||rank 3 on me@gpu3 was killed by SIGKILL", "signal 9",
            "dmesg");
        row("rank1-term", 143, "1|me@gpu2|SIGTERM||rank 1 on me@gpu2 was killed by SIGTERM", "signal 15",
            "ended it");
        row("rank1-segv", 139, "1|me@gpu2|SIGSEGV||rank 1 on me@gpu2 was killed by SIGSEGV",
            "End of error message", "");
        row("rank1-cabort", 134, "1|me@gpu2|SIGABRT||rank 1 on me@gpu2 was killed by SIGABRT", "signal 6",
            "");
        row("rank1-exit3", 3, "1|me@gpu2||3|rank 1 on me@gpu2 ended with status 3", "Exit code: 3", "");
        row("rank1-_exit14", 14, "1|me@gpu2||14|rank 1 on me@gpu2 ended with status 14 (out of memory)",
            "out of memory", "global_batch");
        row("rank1-abort", 18, "1|me@gpu2||18|rank 1 on me@gpu2 ended with status 18 (deadline)", "MPI_ABORT",
            "collective_seconds");
        row("rank1-exit0", 1, "1|me@gpu2||0|rank 1 on me@gpu2 ended before the others", "exiting improperly",
            "");
        row("cable-cut", 205, "-1|me@gpu2|||me@gpu2 was lost", "lost communication", "cable");
        row("orted-killed", 205, "-1|me@gpu2|||me@gpu2 was lost", "lost communication", "cable");
        row("node-killed", 255, "-1|me@gpu3|||me@gpu3 was lost", "closed by remote host", "rebooted");
        row("key-refused", 255, "-1|me@gpu3|||me@gpu3 could not be started", "Permission denied (publickey",
            "authorized_keys|AllowUsers");
        row("hostkey-wrong", 255, "-1|me@gpu3|||me@gpu3 could not be started", "has changed",
            "heck the nodes again");
        row("unreachable-start", 255, "-1|me@gpu2|||me@gpu2 could not be started", "Connection timed out",
            "firewall");
        row("port-closed", 255, "-1|me@gpu2|||me@gpu2 could not be started", "Connection refused", "sshd");
        row("orted-missing", 127, "-1||||a node could not be started", "cannot execute", "nodes clean");
        row("agent-missing-head", 132, "0|me@gpu1|||rank 0 on me@gpu1 could not be started",
            "Executable: /root/.coxswain", "nodes clean");
        row("trainer-missing", 127, "1|me@gpu2||127|rank 1 on me@gpu2 ended with status 127",
            "error while loading shared libraries", "nodes clean");
        row("tmp-full", 1, "-1||||MPI could not be set up", "OUT-OF-RESOURCE", "/tmp");
        row("shm-small", 1, "-1|node3|||MPI could not be set up", "not enough space for /dev/shm",
            "/dev/shm");
        row("mpirun-term", 1, "-1|node2|||node2 lost its peers", "disconnected", "");
    }
    void captures() {
        QFETCH(int, status);
        QFETCH(QString, card);
        QFETCH(QString, detail);
        QFETCH(QString, fix);
        const auto seen = whoFailedFirst(plan(), capture(QTest::currentDataTag()), {}, status);
        QCOMPARE(summary(seen), card);
        if (!seen)
            return;
        QVERIFY2(seen->detail.contains(detail), qPrintable(seen->detail));
        QVERIFY2(seen->fix.contains(QRegularExpression(fix)), qPrintable(seen->fix));
        QVERIFY(!seen->consequences.contains(seen->headline));
    }

    /// field/outputs.md, 10 to 24: what mpirun, ssh and the ranks' libraries print.
    void fieldOutputs_data() {
        QTest::addColumn<QByteArray>("log");
        QTest::addColumn<QString>("card");
        QTest::addColumn<QString>("fix");
        const auto row = [](const char* name, const QByteArray& log, const char* card, const char* fix) {
            QTest::newRow(name) << log << QString(card) << QString(fix);
        };
        const QByteArray rankDied = "mpirun detected that one or more processes exited with non-zero status, "
                                    "thus causing\nthe job to be terminated. The first process to do so "
                                    "was:\n\n  Process name: [[1,1],2]\n  Exit code:    1\n";
        row("10",
            "[1,2]<stdout>:include/socket.h:390 NCCL WARN Connect to 10.38.10.112<21724> failed : Connection "
            "refused\n" +
                rankDied,
            "2|me@gpu3||1|rank 2 on me@gpu3 ended with status 1 (internal)", "within their subnet");
        row("11",
            "[1,2]<stdout>:init.cc:497 NCCL WARN Duplicate GPU detected : rank 2 and rank 0 both on CUDA "
            "device 1000\n" +
                rankDied,
            "2|me@gpu3||1|rank 2 on me@gpu3 ended with status 1 (internal)", "ranks_per_node");
        row("12", "[1,2]<stderr>:Bootstrap : no socket interface found\n" + rankDied,
            "2|me@gpu3||1|rank 2 on me@gpu3 ended with status 1 (internal)", "interface");
        row("13",
            "[1,2]<stderr>:Test CUDA failure common.cu:1045 'CUDA driver version is insufficient for CUDA "
            "runtime version'\n" +
                rankDied,
            "2|me@gpu3||1|rank 2 on me@gpu3 ended with status 1 (internal)", "580");
        row("14",
            "[1,2]<stderr>:[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, "
            "OpType=ALLREDUCE, Timeout(ms)=10000) ran for 10917 milliseconds before timing out.\n" +
                rankDied,
            "2|me@gpu3||1|rank 2 on me@gpu3 ended with status 1 (internal)", "did not come");
        row("15",
            "There are not enough slots available in the system to satisfy the 16\nslots that were requested "
            "by the application:\n\n  ./a\n\nA \"slot\" is the Open MPI term for an allocatable unit\n",
            "-1||||MPI could not be set up", "report");
        row("16", "ORTE was unable to reliably start one or more daemons.\n", "-1||||MPI could not be set up",
            "");
        row("17", "bash: orted: command not found\nORTE was unable to reliably start one or more daemons.\n",
            "-1||||a node could not be started", "check the nodes again");
        row("17, newer bash", "bash: line 1: orted: command not found\n", "-1||||a node could not be started",
            "check the nodes again");
        row("18",
            "A process or daemon was unable to complete a TCP connection\nto another process:\n  Local host: "
            "   node1\n  Remote host:   node2\n",
            "-1||||MPI could not be set up", "firewall");
        row("19",
            "mpirun noticed that process rank 1 with PID 80 on node 10.77.0.2 exited on signal 9 (Killed).\n",
            "1|me@gpu2|SIGKILL||rank 1 on me@gpu2 was killed by SIGKILL", "dmesg");
        row("20", "[1,0]<stdout>:ABCD[1,2]<stdout>:EFGH\n" + rankDied,
            "2|me@gpu3||1|rank 2 on me@gpu3 ended with status 1 (internal)", "");
        row("21", "10.85.0.2: Permission denied (publickey).\n", "-1|me@gpu2|||me@gpu2 could not be started",
            "sshd");
        row("22",
            "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key for coxswain-node-1 has "
            "changed and you have requested strict checking.\n",
            "-1|me@gpu2|||me@gpu2 could not be started", "heck the nodes again");
        row("23", "ssh: Could not resolve hostname node0: Name or service not known\n",
            "-1|node0|||node0 could not be started", "address");
        row("24",
            "*** For authorized use only ***\nPseudo-terminal will not be allocated because stdin is not a "
            "terminal.\n" +
                rankDied,
            "2|me@gpu3||1|rank 2 on me@gpu3 ended with status 1 (internal)", "");
        row("9, kernel",
            "[1,2]<stderr>:NVRM: Xid (PCI:0000:05:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen "
            "off the bus.\n" +
                rankDied,
            "2|me@gpu3||1|rank 2 on me@gpu3 ended with status 1 (internal)", "reboot");
        row("named agent",
            "coxswain-agent on coxswain-node-2: cannot execute /x: No such file or directory\n",
            "-1|me@gpu3|||me@gpu3 could not be started", "nodes clean");
        row("nothing known", "something else\n", "-1|||1|mpirun ended with status 1", "");
        row("empty", "", "-1|||1|mpirun ended with status 1", "");
    }
    void fieldOutputs() {
        QFETCH(QByteArray, log);
        QFETCH(QString, card);
        QFETCH(QString, fix);
        const auto seen = whoFailedFirst(plan(), log, {}, 1);
        QCOMPARE(summary(seen), card);
        QVERIFY2(seen->fix.contains(fix), qPrintable(seen->fix));
        QCOMPARE(seen->fix.isEmpty(), fix.isEmpty());
    }

    void aRanksOwnAccountLeads() {
        const QList<RankError> errors{error(2, 11, ExitCode::Communication, "peer closed"),
                                      error(0, 12, ExitCode::Communication, "peer closed"),
                                      error(1, 10, ExitCode::OutOfMemory, "cannot allocate 3 GiB", 42)};
        const auto card = whoFailedFirst(plan(), capture("rank1-_exit14"), errors, 14);
        QCOMPARE(summary(card), QString("1|me@gpu2||14|rank 1 on me@gpu2: out of memory at step 42"));
        QCOMPARE(card->detail, QString("cannot allocate 3 GiB"));
        QVERIFY(card->fix.contains("global_batch"));
        QVERIFY(card->consequences.contains("rank 2 on me@gpu3: communication at step 5"));
        QVERIFY(card->consequences.contains("rank 0 on me@gpu1: communication at step 5"));
    }

    /// The survivors' lines come first, and one clock is ahead: the cause still leads.
    void consequencesNeverLead() {
        const QList<RankError> survivors{error(0, 1, ExitCode::Communication, "reset by peer"),
                                         error(2, 2, ExitCode::Deadline, "no answer")};
        QCOMPARE(whoFailedFirst(plan(), capture("rank1-kill9"), survivors, 137)->headline,
                 QString("rank 1 on me@gpu2 was killed by SIGKILL"));
        QCOMPARE(whoFailedFirst(plan(), capture("cable-cut"), survivors, 205)->headline,
                 QString("me@gpu2 was lost"));
        QList<RankError> late = survivors;
        late.append(error(1, 99, ExitCode::BadData, "shard is damaged"));
        QCOMPARE(whoFailedFirst(plan(), "", late, 11)->headline,
                 QString("rank 1 on me@gpu2: bad data at step 5"));
    }

    void onlyConsequencesAreKnown() {
        const auto card = whoFailedFirst(
            plan(), "",
            {error(3, 5, ExitCode::Communication, "b"), error(2, 4, ExitCode::Communication, "a")}, 17);
        QCOMPARE(card->rank, 2);
        QCOMPARE(card->consequences, QList<QString>{"rank 3 on me@gpu3: communication at step 5"});
    }

    void theSilentRank() {
        const QList<RankError> waiting{error(0, 1, ExitCode::Deadline, "all-reduce: 300 s"),
                                       error(1, 2, ExitCode::Deadline, "x"),
                                       error(3, 2, ExitCode::Deadline, "x")};
        QCOMPARE(summary(whoFailedFirst(plan(), "", waiting, 18)),
                 QString("2|me@gpu3|||rank 2 on me@gpu3 did not answer: all others waited for it"));
        QCOMPARE(whoFailedFirst(plan(), "", waiting.mid(0, 2), 18)->rank, 0);
    }

    void nothingFailed() {
        QVERIFY(!whoFailedFirst(plan(), capture("graceful"), {}, 0));
        QVERIFY(!whoFailedFirst(plan(), "", {}, 0));
        QVERIFY(!whoFailedFirst(plan(), "[1,0]<stdout>:fine\n", {}, std::nullopt));
    }

    /// Ranks and nodes print what they like; a card is text for a label.
    void hostileText() {
        const QByteArray evil = "[1,2]<stderr>:\x1b[31mred\x1b[0m\x1b]0;title\x07 end\x08\x01\n"
                                "Process name: [[1,1],2]\n Exit code: 5\n";
        const auto card = whoFailedFirst(plan(), evil, {}, 5);
        QVERIFY(card->detail.endsWith("red end"));
        QCOMPARE(whoFailedFirst(plan(), "process rank 99999 with PID 1 on node x exited on signal 9", {}, 1)
                     ->headline,
                 QString("rank 99999 was killed by SIGKILL"));
        QVERIFY(whoFailedFirst(Plan(), capture("rank1-kill9"), {error(7, 1, ExitCode::Disk, "full")}, 1)
                    .has_value());
        QByteArray big;
        while (big.size() < 20 << 20)
            big += "[1,0]<stdout>:a line like many others, again and again and again and again and again\n";
        big +=
            "mpirun noticed that process rank 1 with PID 80 on node 10.85.0.2 exited on signal 9 (Killed).\n";
        QCOMPARE(whoFailedFirst(plan(), big, {}, 137)->rank, 1);
        QByteArray same;
        for (int i = 0; i < 5000; ++i)
            same += "ssh: connect to host 10.85.0." + QByteArray::number(i % 250) +
                    " port 22: No route to host\n";
        QVERIFY(whoFailedFirst(plan(), same, {}, 255)->consequences.size() <= 20);
    }

    void everyByteOfACaptureCut() {
        const QByteArray whole = capture("rank1-segv");
        for (qsizetype size = 0; size <= whole.size(); size += 7)
            QVERIFY(whoFailedFirst(plan(), whole.left(size), {}, 139).has_value());
    }
};

QTEST_APPLESS_MAIN(FailureTest)
#include "tst_failure.moc"
