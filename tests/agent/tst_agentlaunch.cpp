// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/agent/launch.h"
#include "tests/agent/agentdriver.h"
#include "trainer/wire/bundle.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

using namespace coxswain;
using namespace coxswain::test;

namespace {

// What Open MPI 4.1.4's mpirun gave to ssh, as one line; /opt/x is its --prefix.
const char* const captured =
    "          PATH=/opt/x/bin:$PATH ; export PATH ; LD_LIBRARY_PATH=/opt/x/lib:${LD_LIBRARY_PATH:-} ; "
    "export "
    "LD_LIBRARY_PATH ; DYLD_LIBRARY_PATH=/opt/x/lib:${DYLD_LIBRARY_PATH:-} ; export DYLD_LIBRARY_PATH ;   "
    "/opt/x/bin/orted --daemonize -mca ess \"env\" -mca ess_base_jobid \"713687040\" -mca ess_base_vpid 2 "
    "-mca "
    "ess_base_num_procs \"3\" -mca orte_node_regex \"vm,[2:10].1.1.1,[2:10].1.1.2@0(3)\" -mca orte_hnp_uri "
    "\"713687040.0;tcp://192.0.2.2:53897;tcp6://[fd00::2]:52665\" --mca plm_rsh_agent \"ssh -i /a/key\" -mca "
    "plm "
    "\"rsh\" -mca pmix \"^s1,s2,cray,isolated\"";

const std::string runtime(64, 'a');

} // namespace

class AgentLaunchTest : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> m_folder;

    QString base() const { return m_folder->path() + "/base"; }
    QString job(const QString& file) const { return base() + "/jobs/j1/" + file; }
    QString bundle() const { return base() + "/runtime/" + QString::fromStdString(runtime); }
    QString keysFile() const { return m_folder->path() + "/.ssh/authorized_keys"; }

    /// A bundle whose loader is `script`: it gets what the real one would.
    void makeBundle(const QByteArray& script, const Environment& environment = {}) {
        const wire::NodeFile node{runtime, 1, environment};
        writeFile(job("node.json"), QByteArray::fromStdString(wire::toJsonText(node)));
        writeFile(bundle() + "/lib/ld-linux-x86-64.so.2", "#!/bin/sh\n" + script, 0755);
    }
    Ended launch(const std::string& command, Environment more = {}) {
        more["HOME"] = m_folder->path().toStdString();
        more["PATH"] = "/usr/bin:/bin";
        if (!command.empty())
            more["SSH_ORIGINAL_COMMAND"] = command;
        return runProgram({agentProgram(), "launch", "--base", base().toStdString(), "--job", "j1"}, more);
    }

private slots:
    void init() {
        m_folder.emplace();
        QDir().mkpath(base());
    }

    void takesOrtedsArguments() {
        const auto arguments = agent::ortedArguments(captured);
        QVERIFY(arguments.has_value());
        const std::vector<std::string> expected{"-mca",
                                                "ess",
                                                "env",
                                                "-mca",
                                                "ess_base_jobid",
                                                "713687040",
                                                "-mca",
                                                "ess_base_vpid",
                                                "2",
                                                "-mca",
                                                "ess_base_num_procs",
                                                "3",
                                                "-mca",
                                                "orte_node_regex",
                                                "vm,[2:10].1.1.1,[2:10].1.1.2@0(3)",
                                                "-mca",
                                                "orte_hnp_uri",
                                                "713687040.0;tcp://192.0.2.2:53897;tcp6://[fd00::2]:52665",
                                                "--mca",
                                                "plm_rsh_agent",
                                                "ssh -i /a/key",
                                                "-mca",
                                                "plm",
                                                "rsh",
                                                "-mca",
                                                "pmix",
                                                "^s1,s2,cray,isolated"};
        QVERIFY(*arguments == expected);
    }

    /// Whatever the key's holder asks for, nothing but the bundle's orted is started.
    void refuses_data() {
        QTest::addColumn<QByteArray>("command");
        for (const char* command : {"",
                                    " ",
                                    "sh",
                                    "sh -i",
                                    "/bin/sh -c 'rm -rf ~'",
                                    "orted",
                                    "/opt/x/bin/orted",
                                    "/x/notorted -mca a b",
                                    "scp -t /tmp",
                                    "internal-sftp",
                                    "/x/orted a; touch TOUCHED",
                                    "/x/orted a && touch TOUCHED",
                                    "/x/orted a | sh",
                                    "/x/orted $(touch TOUCHED)",
                                    "/x/orted `touch TOUCHED`",
                                    "/x/orted \"$(touch TOUCHED)\"",
                                    "/x/orted \"`touch TOUCHED`\"",
                                    "/x/orted a > TOUCHED",
                                    "/x/orted a\ntouch TOUCHED",
                                    "/x/orted \"a\nb\"",
                                    "/x/orted (touch TOUCHED)",
                                    "/x/orted a & touch TOUCHED",
                                    "/x/orted \"unclosed",
                                    "/x/orted 'a'",
                                    "/x/orted a\\ b"})
            QTest::newRow(command) << QByteArray(command);
    }
    void refuses() {
        QFETCH(QByteArray, command);
        makeBundle("touch '" + m_folder->path().toUtf8() + "/TOUCHED'\n");
        const Ended ended = launch(command.toStdString());
        QCOMPARE(ended.status, 126);
        QVERIFY2(ended.out.contains("starts orted and nothing else"), ended.out.constData());
        QVERIFY(!QFile::exists(m_folder->path() + "/TOUCHED"));
    }

    void onlyTheBundlesOwnOrted() {
        makeBundle("printf '%s\\n' \"$@\"\n");
        const Ended ended =
            launch("touch " + m_folder->path().toStdString() + "/TOUCHED ; /evil/orted -mca a \"b c\"");
        const QByteArray root = bundle().toUtf8();
        QCOMPARE(ended.out, "--library-path\n" + root + "/lib\n" + root + "/bin/orted\n-mca\na\nb c\n");
        QCOMPARE(ended.status, 0);
        QVERIFY(!QFile::exists(m_folder->path() + "/TOUCHED"));
    }

    void environmentOfThisNodesBundle() {
        makeBundle("env; exit 3\n");
        const Ended ended = launch(captured, {{"OPAL_PREFIX", "/the/heads"}});
        QCOMPARE(ended.status, 3);
        const QList<QByteArray> lines = ended.out.split('\n');
        const QByteArray root = bundle().toUtf8();
        for (const QByteArray& line :
             {QByteArray("COXSWAIN_JOB=j1"), "OPAL_PREFIX=" + root, "OPAL_PKGLIBDIR=" + root + "/lib/openmpi",
              "PMIX_MCA_mca_base_component_path=" + root + "/lib/pmix"})
            QVERIFY2(lines.contains(line), ended.out.constData());
    }

    void removesTheKeyAfterwards_data() {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<int>("status");
        QTest::newRow("in order") << QByteArray("exit 0\n") << 0;
        QTest::newRow("failed") << QByteArray("exit 5\n") << 5;
        QTest::newRow("killed") << QByteArray("kill -9 $$\n") << 137;
    }
    void removesTheKeyAfterwards() {
        QFETCH(QByteArray, script);
        QFETCH(int, status);
        makeBundle("grep -c coxswain-job-j1 '" + keysFile().toUtf8() + "'\n" + script);
        writeFile(keysFile(),
                  "ssh-rsa A me\nssh-ed25519 AAAA coxswain-job-j1\nssh-ed25519 AAAA coxswain-job-j2\n", 0600);
        const Ended ended = launch(captured);
        QCOMPARE(ended.status, status);
        QCOMPARE(ended.out, "1\n"); // it was there while orted ran
        QCOMPARE(readFile(keysFile()), "ssh-rsa A me\nssh-ed25519 AAAA coxswain-job-j2\n");
    }

    /// The head's cable is pulled, or its sshd ends the session: the key must go all the same.
    void removesTheKeyWhenTheConnectionBreaks() {
        const QByteArray started = m_folder->path().toUtf8() + "/started";
        makeBundle("trap '' HUP; touch '" + started + "'; sleep 0.5; echo late; exit 0\n");
        writeFile(keysFile(), "ssh-ed25519 AAAA coxswain-job-j1\n", 0600);
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        const std::string program = agentProgram(), folder = base().toStdString();
        const pid_t child = ::fork();
        if (child == 0) {
            ::dup2(ends[1], 1);
            ::close(ends[0]);
            ::close(ends[1]);
            ::setenv("HOME", m_folder->path().toUtf8().constData(), 1);
            ::setenv("SSH_ORIGINAL_COMMAND", captured, 1);
            ::execl(program.c_str(), program.c_str(), "launch", "--base", folder.c_str(), "--job", "j1",
                    nullptr);
            ::_exit(127);
        }
        ::close(ends[1]);
        QTRY_VERIFY(QFile::exists(QString::fromUtf8(started)));
        ::kill(child, SIGHUP);
        ::close(ends[0]);
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child); // ctest's limit bounds it
        QVERIFY(WIFEXITED(status));
        QCOMPARE(readFile(keysFile()), "");
    }

    void withoutTheJob() {
        const Ended ended = launch(captured);
        QCOMPARE(ended.status, 1);
        QVERIFY2(ended.out.contains("node.json"), ended.out.constData());
    }

    void withoutTheRuntime() {
        makeBundle("exit 0\n");
        QVERIFY(QDir(bundle()).removeRecursively());
        const Ended ended = launch(captured);
        QCOMPARE(ended.status, 127);
        QVERIFY2(ended.out.contains("ld-linux-x86-64.so.2: No such file"), ended.out.constData());
    }

    void aRuntimeThatIsAPath() {
        makeBundle("exit 0\n");
        writeFile(job("node.json"), R"({"runtime": "../../evil", "node": 0, "environment": {}})");
        QCOMPARE(launch(captured).status, 1);
    }

    void becomesARank() {
        makeBundle("pwd; umask; echo \"$@\"; env\n", {{"NCCL_SOCKET_IFNAME", "eth7"}});
        const Ended ended = runProgram(
            {agentProgram(), "rank", "--base", base().toStdString(), "--job", "j1", "--attempt", "4"},
            {{"PATH", "/bin"}, {"OMPI_COMM_WORLD_RANK", "2"}});
        QCOMPARE(ended.status, 0);
        const QList<QByteArray> lines = ended.out.split('\n');
        const QByteArray root = bundle().toUtf8();
        QCOMPARE(QString::fromUtf8(lines[0]), QDir(job("")).canonicalPath());
        QCOMPARE(lines[1], "0077");
        QCOMPARE(lines[2], "--library-path " + root + "/lib " + root + "/bin/coxswain-trainer " +
                               job("job.json").toUtf8() + " --attempt 4");
        for (const QByteArray& line : {QByteArray("COXSWAIN_JOB=j1"), QByteArray("NCCL_SOCKET_IFNAME=eth7"),
                                       QByteArray("OMPI_COMM_WORLD_RANK=2"), "OPAL_PREFIX=" + root})
            QVERIFY2(lines.contains(line), ended.out.constData());
    }
};

QTEST_GUILESS_MAIN(AgentLaunchTest)
#include "tst_agentlaunch.moc"
