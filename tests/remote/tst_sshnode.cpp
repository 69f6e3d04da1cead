// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/remote/sshfixture.h"
#include "trainer/wire/bundle.h"
#include "trainer/wire/sha256.h"
#include "trainer/wire/state.h"

#include <QElapsedTimer>
#include <QTest>

#include <optional>
#include <thread>

using namespace coxswain;
using namespace coxswain::remote;
using namespace coxswain::test;
using core::ErrorCode;

/// Nodes as people have them: chatty, odd shells, plain users, homes that are missing, full, read-only or
/// noexec.
class SshNodeTest : public QObject {
    Q_OBJECT

    std::optional<SshFixture> m_ssh;

    QByteArray in(const QString& script, int node = 1) { return m_ssh->hosts.in(node, script); }
    /// The agent's greeting, or the error as a text.
    std::optional<Greeting> greet(const QString& user, core::Error* error = nullptr,
                                  std::chrono::milliseconds timeout = 15s) {
        auto options = m_ssh->options;
        options.connectTimeout = timeout;
        HostSession session(m_ssh->host(1, user), options);
        const auto agent = session.agent({});
        if (agent)
            return (*agent)->greeting();
        if (error)
            *error = agent.error();
        else
            qWarning("%s", qPrintable(agent.error().text()));
        return std::nullopt;
    }

private slots:
    void initTestCase() { m_ssh.emplace("10.82.0", 1); }
    void cleanupTestCase() { m_ssh.reset(); }

    void sentOnceOnly() {
        QVERIFY(greet("root"));
        // Folders may be touched, for a lock or a try; what was sent is not.
        const char* look =
            "cd /root/.coxswain; find . -type f; stat -c '%a %i' . agent; stat -c '%a %i %Y' agent/*/*";
        const QByteArray first = in(look);
        QVERIFY2(first.contains("700"), first.constData());
        QTest::qSleep(1100); // times are compared in seconds
        QVERIFY(greet("root"));
        QCOMPARE(in(look), first);
    }

    void plainUserWithAnUmask() {
        m_ssh->hosts.addUser(1, "fred");
        in("printf 'umask 027\\n' | tee /home/fred/.bashrc /home/fred/.profile > /home/fred/.bash_profile; "
           "usermod -s /bin/bash fred; chmod 755 /home/fred");
        HostSession session(m_ssh->host(1, "fred"), m_ssh->options);
        const auto agent = session.agent({});
        QVERIFY2(agent.has_value(), agent ? "" : qPrintable(agent.error().text()));
        QCOMPARE((*agent)->greeting().base, "/home/fred/.coxswain");
        QCOMPARE((*agent)->greeting().user, "fred");
        QVERIFY((*agent)->write("jobs/j/job.json", "{}", 0600, within(10s)).has_value());
        QCOMPARE(in("find /home/fred/.coxswain -perm /077"), ""); // private, whatever the home's own mode
        QCOMPARE(in("find /home/fred/.coxswain ! -user fred"), "");
    }

    void chattyStart_data() {
        QTest::addColumn<QString>("script");
        QTest::newRow("echo") << "echo hi; echo there >&2";
        QTest::newRow("no newline at the end") << "printf 'last login: '";
        QTest::newRow("much") << "seq 20000";
        QTest::newRow("control characters") << "printf '\\033[2J\\a\\r\\n\\200\\377'";
        QTest::newRow("reads standard input") << "read -t 0.2 line; echo got $line";
        QTest::newRow("set -x") << "set -x";
        QTest::newRow("changes folder and PATH") << "cd /tmp; PATH=/nonexistent";
        QTest::newRow("aliases and functions") << "umask() { :; }; alias exec=echo; id() { echo no; }";
        QTest::newRow("fails") << "false; return 3";
    }
    void chattyStart() {
        QFETCH(QString, script);
        if (in("id chatty 2>/dev/null || :").isEmpty()) {
            m_ssh->hosts.addUser(1, "chatty", {"--shell", "/bin/bash"});
            in("printf 'Property of ACME.\\nGo away.\\n' > /etc/issue.net");
            m_ssh->configureSshd(1, "Banner /etc/issue.net");
        }
        in(QStringLiteral("cat > /home/chatty/.bashrc <<'END'\n%1\nEND").arg(script));
        core::Error error;
        const auto greeting = greet("chatty", &error);
        QVERIFY2(greeting, qPrintable(error.text()));
        QCOMPARE(greeting->base, "/home/chatty/.coxswain");
    }

    void loginShells_data() {
        QTest::addColumn<QString>("shell");
        for (const char* shell : {"/bin/sh", "/bin/bash", "/bin/csh", "/usr/bin/fish"})
            QTest::newRow(shell) << shell;
    }
    void loginShells() {
        QFETCH(QString, shell);
        const QString user = "with" + shell.section('/', -1);
        m_ssh->hosts.addUser(1, user, {"--shell", shell});
        const auto greeting = greet(user);
        QVERIFY(greeting);
        QCOMPARE(greeting->base, "/home/" + user + "/.coxswain");
    }

    void shellsOfNoUse_data() {
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("shell");
        QTest::addColumn<int>("code");
        QTest::newRow("nologin") << "nologin"
                                 << "/usr/sbin/nologin" << int(ErrorCode::NoShell);
        QTest::newRow("false") << "nofalse"
                               << "/bin/false" << int(ErrorCode::NoShell);
        QTest::newRow("a menu") << "menu"
                                << "/usr/local/bin/menu" << int(ErrorCode::NoShell);
        QTest::newRow("hangs") << "hangs"
                               << "/usr/local/bin/hangs" << int(ErrorCode::Timeout);
    }
    void shellsOfNoUse() {
        QFETCH(QString, user);
        QFETCH(QString, shell);
        QFETCH(int, code);
        in("printf '#!/bin/sh\\necho Choose 1 or 2\\n' > /usr/local/bin/menu; printf '#!/bin/sh\\nsleep "
           "100\\n' > "
           "/usr/local/bin/hangs; chmod 755 /usr/local/bin/*");
        m_ssh->hosts.addUser(1, user, {"--shell", shell});
        core::Error error;
        QElapsedTimer timer;
        timer.start();
        QVERIFY(!greet(user, &error, 2s));
        QVERIFY2(int(error.code) == code, qPrintable(error.text()));
        QVERIFY(timer.elapsed() < 5000);
        if (user == "menu")
            QVERIFY2(error.seen.contains("Choose 1 or 2"), qPrintable(error.text()));
    }

    /// Design 15: another place, private and our own, or a clear error.
    void homes_data() {
        QTest::addColumn<QString>("prepare"); // $h: the home, $u: the user's number
        QTest::addColumn<QString>("base");
        QTest::newRow("missing") << "rm -rf $h"
                                 << "/var/tmp/coxswain-$u";
        QTest::newRow("read-only") << "mount -t tmpfs -o ro,mode=755 t $h"
                                   << "/var/tmp/coxswain-$u";
        QTest::newRow("noexec") << "mount -t tmpfs -o noexec,mode=777 t $h"
                                << "/var/tmp/coxswain-$u";
        QTest::newRow("full")
            << "mount -t tmpfs -o size=64k,mode=777 t $h; dd if=/dev/zero of=$h/x bs=4k 2>/dev/null || :"
            << "/var/tmp/coxswain-$u";
        QTest::newRow("another's") << "rm -rf $h; mkdir $h; chmod 755 $h"
                                   << "/var/tmp/coxswain-$u";
        QTest::newRow("no home, and someone waits in /var/tmp")
            << "rm -rf $h; mkdir -p /var/tmp/coxswain-$u; chmod 777 /var/tmp/coxswain-$u"
            << "/tmp/coxswain-$u";
        QTest::newRow("no home, and a link in /var/tmp")
            << "rm -rf $h /var/tmp/coxswain-$u; ln -s /tmp /var/tmp/coxswain-$u"
            << "/tmp/coxswain-$u";
        QTest::newRow("no home, our link in /var/tmp")
            << "rm -rf $h /var/tmp/coxswain-$u; mkdir /tmp/x$u; chown $u /tmp/x$u; ln -s /tmp/x$u "
               "/var/tmp/coxswain-$u; "
               "chown -h $u /var/tmp/coxswain-$u"
            << "/tmp/coxswain-$u";
        QTest::newRow("our own folder from before")
            << "rm -rf $h; install -d -m 755 -o $u /var/tmp/coxswain-$u"
            << "/var/tmp/coxswain-$u";
    }
    void homes() {
        QFETCH(QString, prepare);
        QFETCH(QString, base);
        const QString user = QStringLiteral("home%1").arg(qHash(QString(QTest::currentDataTag())) % 100000);
        m_ssh->hosts.addUser(1, user);
        // sshd reads keys from the home: from another place here.
        in("mkdir -p /etc/keys; cp /etc/ssh/testhosts.pub /etc/keys/all; chmod 644 /etc/keys/all");
        m_ssh->configureSshd(1, "AuthorizedKeysFile /etc/keys/all");
        const QString number = QString::fromUtf8(in("id -u " + user)).trimmed();
        const QString variables = "u=" + number + "; h=/home/" + user + "; ";
        in(variables + prepare);
        base.replace("$u", number);
        core::Error error;
        const auto greeting = greet(user, &error);
        in(variables + "while mountpoint -q $h; do umount $h; done");
        QVERIFY2(greeting, qPrintable(error.text()));
        QCOMPARE(greeting->base, base);
        QCOMPARE(in("stat -c '%U %F' " + base).trimmed(), user.toUtf8() + " directory");
        if (!prepare.contains("install")) // made by us
            QCOMPARE(in("stat -c %a " + base).trimmed(), "700");
    }

    void noPlaceAtAll() {
        m_ssh->hosts.addUser(1, "nowhere");
        const QByteArray number = in("id -u nowhere").trimmed();
        in("rm -rf /home/nowhere; for d in /tmp /var/tmp; do mkdir -m 755 $d/coxswain-" + number + "; done");
        core::Error error;
        QVERIFY(!greet("nowhere", &error));
        QCOMPARE(error.code, ErrorCode::NoPlace);
        for (const QString& place :
             {QString("/home/nowhere/.coxswain"), "/var/tmp/coxswain-" + QString(number)})
            QVERIFY2(error.seen.contains(place), qPrintable(error.text()));
        QVERIFY(!error.fix.isEmpty());
    }

    /// Room for a first small file, but not for the agent.
    void tooSmallForTheAgent() {
        m_ssh->hosts.addUser(1, "small");
        in("mount -t tmpfs -o size=1m,mode=777 t /home/small");
        core::Error error;
        QElapsedTimer timer;
        timer.start();
        const auto greeting = greet("small", &error);
        const QByteArray left = in("find /home/small -type f; umount /home/small");
        QVERIFY(!greeting);
        QVERIFY2(error.code == ErrorCode::NoSpace, qPrintable(error.text()));
        QVERIFY2(error.seen.contains("/home/small/.coxswain/agent"), qPrintable(error.text()));
        QCOMPARE(left, "");
        QVERIFY2(timer.elapsed() < 10000, qPrintable(QString::number(timer.elapsed())));
    }

    /// Full in the middle of a sync: an error that says so, nothing half-written left, and the agent still
    /// there.
    void fullDisk() {
        m_ssh->hosts.addUser(1, "full");
        in("mount -t tmpfs -o size=80m,mode=777 t /home/full");
        HostSession session(m_ssh->host(1, "full"), m_ssh->options);
        const auto agent = session.agent({});
        QVERIFY2(agent.has_value(), agent ? "" : qPrintable(agent.error().text()));
        const QByteArray content(30 << 20, 'f');
        const QString file = m_ssh->home.path() + "/content";
        SshFixture::write(file, content);
        const QString digest = QString::fromStdString(wire::sha256Hex(content.toStdString()));
        const auto before = in("df --output=used /home/full; find /home/full -type f");
        const auto put = (*agent)->put(file, digest, content.size(), within(30s), [](qint64) {});
        QVERIFY2(!put, "64 MiB are kept in reserve");
        QCOMPARE(put.error().code, ErrorCode::NoSpace);
        QVERIFY(!put.error().fix.isEmpty());
        QCOMPARE(in("df --output=used /home/full; find /home/full -type f"), before);
        QVERIFY((*agent)->write("small", "still works", 0600, within(10s)).has_value());
        in("umount -l /home/full");
    }

    /// A job that ends on a full disk, perhaps because of it: how it ended is known once there is room.
    void fullDiskWhenAJobEnds() {
        m_ssh->hosts.addUser(1, "ending");
        in("mount -t tmpfs -o size=4m,mode=777 t /home/ending");
        HostSession session(m_ssh->host(1, "ending"), m_ssh->options);
        const auto agent = session.agent({});
        QVERIFY2(agent.has_value(), agent ? "" : qPrintable(agent.error().text()));
        const wire::LaunchFile launch{{"/bin/sh", "-c", "while [ ! -e go ]; do sleep 0.1; done; exit 5"},
                                      {},
                                      "/home/ending/.coxswain/jobs/j"};
        QVERIFY((*agent)
                    ->write("jobs/j/launch.json", QByteArray::fromStdString(wire::toJsonText(launch)), 0600,
                            within(10s))
                    .has_value());
        const auto started = (*agent)->supervise("j", 1, within(20s));
        QVERIFY2(started.has_value(), started ? "" : qPrintable(started.error().text()));
        in("cd /home/ending; touch .coxswain/jobs/j/go; chmod 666 .coxswain/jobs/j/go; cat /dev/zero > "
           "filler 2>/dev/null || :; "
           "while kill -0 " +
           QString::number(started->mpirunPid) + " 2>/dev/null; do sleep 0.1; done; sleep 0.5");
        const auto state = [&] {
            const auto text = in("cat /home/ending/.coxswain/jobs/j/state.json");
            return wire::parseSupervisorState(text.toStdString());
        };
        QCOMPARE(state()->phase, wire::SupervisorState::Phase::Running); // it could not be written
        in("rm /home/ending/filler");
        QTRY_COMPARE(state()->phase, wire::SupervisorState::Phase::Exited);
        QCOMPARE(state()->exitStatus, std::optional(5));
        QTRY_COMPARE(in("pgrep -u ending -fc '[s]upervise' || :").trimmed(), "0");
        in("umount -l /home/ending");
    }
};

QTEST_GUILESS_MAIN(SshNodeTest)
#include "tst_sshnode.moc"
