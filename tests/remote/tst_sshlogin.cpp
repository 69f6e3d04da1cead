// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/remote/sshfixture.h"

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

#include <optional>
#include <thread>

using namespace coxswain;
using namespace coxswain::remote;
using namespace coxswain::test;
using core::ErrorCode;
using core::HostName;

/// Who is let in, and which host is believed: host keys, user keys, names, ports, deadlines.
class SshLoginTest : public QObject {
    Q_OBJECT

    std::optional<SshFixture> m_ssh;
    QTemporaryDir m_folder;

    QString knownHosts(const QByteArray& content) {
        const QString file = m_folder.path() + "/known_hosts";
        SshFixture::write(file, content);
        return file;
    }
    QByteArray keyOf(int node) { // "ssh-ed25519 AAAA…"
        return m_ssh->hosts.in(node, "cut -d' ' -f1,2 /etc/ssh/testhosts_hostkey.pub").trimmed();
    }
    QString fingerprintOf(int node) {
        return QString::fromUtf8(
                   m_ssh->hosts.in(node, "ssh-keygen -lf /etc/ssh/testhosts_hostkey.pub | cut -d' ' -f2"))
            .trimmed();
    }
    /// What connecting says: nothing, or the error.
    static std::optional<core::Error> connectTo(const HostName& host, const RemoteOptions& options,
                                                const CancelToken& cancel = {}) {
        HostSession session(host, options);
        const auto agent = session.agent(cancel);
        return agent ? std::nullopt : std::optional(agent.error());
    }

private slots:
    void initTestCase() { m_ssh.emplace("10.81.0", 2); }
    void cleanupTestCase() { m_ssh.reset(); }

    void knownHost() {
        HostSession session(m_ssh->host(1), m_ssh->options);
        QVERIFY(!session.hostKey());
        const auto agent = session.agent({});
        QVERIFY2(agent.has_value(), agent ? "" : qPrintable(agent.error().text()));
        QCOMPARE((*agent)->greeting().hostName, "node1");
        QCOMPARE((*agent)->greeting().user, "root");
        QCOMPARE((*agent)->greeting().base, "/root/.coxswain");
        // Pinned in a job's known_hosts later: what was verified, not what is asked for anew.
        QVERIFY(session.hostKey().has_value());
        QCOMPARE(session.hostKey()->type + ' ' + session.hostKey()->blob.toBase64(), keyOf(1));
    }

    void unknownKeyIsRefused() {
        auto options = m_ssh->options;
        options.knownHostsFile = knownHosts("");
        const auto error = connectTo(m_ssh->host(1), options);
        QVERIFY(error);
        QCOMPARE(error->code, ErrorCode::HostKeyUnknown);
        QCOMPARE(error->host, m_ssh->host(1).toString());
        QVERIFY2(error->seen.contains(fingerprintOf(1)), qPrintable(error->text()));
        QVERIFY(error->fix.contains("--accept-new"));
        QCOMPARE(SshFixture::read(options.knownHostsFile), "");
    }

    void unknownKeyIsAskedForOnce() {
        auto options = m_ssh->options;
        options.knownHostsFile = knownHosts("other ssh-ed25519 AAAA"); // without a newline at its end
        QList<QString> asked;
        options.prompt = [&](const HostKeyQuestion& question, const CancelToken&) {
            asked.append(question.fingerprint);
            return true;
        };
        QVERIFY(!connectTo(m_ssh->host(1), options));
        QCOMPARE(asked, QList<QString>{fingerprintOf(1)});
        QCOMPARE(SshFixture::read(options.knownHostsFile),
                 "other ssh-ed25519 AAAA\n" + m_ssh->hosts.address(1).toUtf8() + ' ' + keyOf(1) + '\n');
        QVERIFY(!connectTo(m_ssh->host(1), options));
        QCOMPARE(asked.size(), 1);
        // ssh itself must read what was written.
        QCOMPARE(m_ssh->hosts.run({"ssh", "1", "true"}), "");
    }

    void newFileForKeys() {
        auto options = m_ssh->options;
        options.knownHostsFile = m_folder.path() + "/new/folder/known_hosts";
        options.prompt = [](const HostKeyQuestion&, const CancelToken&) { return true; };
        QVERIFY(!connectTo(m_ssh->host(1), options));
        QVERIFY(SshFixture::read(options.knownHostsFile).contains(keyOf(1)));
        QCOMPARE(QFile::permissions(options.knownHostsFile) & 0x0077, QFile::Permissions());
    }

    void refusedByThePerson() {
        auto options = m_ssh->options;
        options.knownHostsFile = knownHosts("");
        options.prompt = [](const HostKeyQuestion&, const CancelToken&) { return false; };
        QCOMPARE(connectTo(m_ssh->host(1), options)->code, ErrorCode::HostKeyUnknown);
        QCOMPARE(SshFixture::read(options.knownHostsFile), "");
    }

    void aPersonMayTakeLongerThanTheNetwork() {
        auto options = m_ssh->options;
        options.knownHostsFile = knownHosts("");
        options.connectTimeout = 2s;
        options.prompt = [](const HostKeyQuestion&, const CancelToken&) {
            std::this_thread::sleep_for(2500ms);
            return true;
        };
        const auto error = connectTo(m_ssh->host(1), options);
        QVERIFY2(!error, error ? qPrintable(error->text()) : "");
    }

    void changedKey() {
        auto options = m_ssh->options;
        bool asked = false;
        options.prompt = [&](const HostKeyQuestion&, const CancelToken&) { return asked = true; };
        // Node 1 shows its own key where node 2's is expected.
        options.knownHostsFile = knownHosts(m_ssh->hosts.address(1).toUtf8() + ' ' + keyOf(2) + '\n');
        const auto error = connectTo(m_ssh->host(1), options);
        QVERIFY(error);
        QCOMPARE(error->code, ErrorCode::HostKeyChanged);
        QVERIFY2(error->seen.contains(fingerprintOf(1)) && error->seen.contains(fingerprintOf(2)),
                 qPrintable(error->text()));
        QVERIFY2(error->fix.contains("ssh-keygen -f '" + options.knownHostsFile + "' -R"),
                 qPrintable(error->fix));
        QVERIFY(!asked);
    }

    void revokedKey() {
        auto options = m_ssh->options;
        const QByteArray address = m_ssh->hosts.address(1).toUtf8();
        options.knownHostsFile = knownHosts(address + ' ' + keyOf(1) + "\n@revoked * " + keyOf(1) + '\n');
        QCOMPARE(connectTo(m_ssh->host(1), options)->code, ErrorCode::HostKeyRevoked);
        // Also where only the system's file says so.
        options.knownHostsFile = m_ssh->options.knownHostsFile;
        options.moreKnownHosts = {m_folder.path() + "/absent",
                                  knownHosts("@revoked " + address + ' ' + keyOf(1) + '\n')};
        QCOMPARE(connectTo(m_ssh->host(1), options)->code, ErrorCode::HostKeyRevoked);
    }

    void keyOfAnotherTypeIsPreferredWhenItIsKnown() {
        m_ssh->hosts.in(1, "[ -f /etc/ssh/rsa ] || ssh-keygen -q -t rsa -b 2048 -N '' -f /etc/ssh/rsa");
        m_ssh->configureSshd(1, "HostKey /etc/ssh/rsa");
        auto options = m_ssh->options;
        const QByteArray rsa = m_ssh->hosts.in(1, "cut -d' ' -f1,2 /etc/ssh/rsa.pub").trimmed();
        options.knownHostsFile = knownHosts(m_ssh->hosts.address(1).toUtf8() + ' ' + rsa + '\n');
        HostSession session(m_ssh->host(1), options);
        const auto agent = session.agent({});
        QVERIFY2(agent.has_value(), agent ? "" : qPrintable(agent.error().text()));
        QCOMPARE(session.hostKey()->type, "ssh-rsa");
        m_ssh->configureSshd(1, "");
    }

    void otherPort() {
        m_ssh->configureSshd(2, "Port 22\nPort 2200");
        auto host = m_ssh->host(2);
        host.port = 2200;
        auto options = m_ssh->options;
        options.knownHostsFile = knownHosts("");
        options.prompt = [](const HostKeyQuestion&, const CancelToken&) { return true; };
        const auto error = connectTo(host, options);
        QVERIFY2(!error, error ? qPrintable(error->text()) : "");
        QVERIFY(SshFixture::read(options.knownHostsFile)
                    .startsWith('[' + m_ssh->hosts.address(2).toUtf8() + "]:2200 "));
    }

    void refusedKey() {
        m_ssh->hosts.addUser(1, "nokey");
        m_ssh->hosts.in(1, "rm /home/nokey/.ssh/authorized_keys");
        QElapsedTimer timer;
        timer.start();
        const auto error = connectTo(m_ssh->host(1, "nokey"), m_ssh->options);
        QVERIFY(error);
        QCOMPARE(error->code, ErrorCode::AuthRefused);
        QVERIFY2(error->seen.contains(m_ssh->hosts.identity()), qPrintable(error->text()));
        QVERIFY2(error->fix.contains("nokey@" + m_ssh->hosts.address(1)), qPrintable(error->text()));
        QVERIFY(timer.elapsed() < 5000);
    }

    void keysThatCannotBeUsed() {
        auto options = m_ssh->options;
        const QString locked = m_folder.path() + "/locked";
        QFile::remove(locked);
        m_ssh->hosts.run({"in", "1", "true"});
        const int made =
            QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "secret", "-f", locked});
        QCOMPARE(made, 0);
        options.identityFiles = {locked, m_folder.path() + "/absent"};
        const auto error = connectTo(m_ssh->host(1), options);
        QVERIFY(error);
        QCOMPARE(error->code, ErrorCode::AuthRefused);
        QVERIFY2(error->seen.contains("passphrase"), qPrintable(error->text()));
        QVERIFY2(error->seen.contains("absent"), qPrintable(error->text()));
        // A good one after them is found.
        options.identityFiles.append(m_ssh->hosts.identity());
        QVERIFY(!connectTo(m_ssh->host(1), options));
        options.identityFiles.clear();
        QCOMPARE(connectTo(m_ssh->host(1), options)->code, ErrorCode::AuthRefused);
    }

    void keysOfTheHomeFolder() {
        auto options = m_ssh->options;
        options.identityFiles.clear();
        QDir().mkpath(m_ssh->home.path() + "/.ssh");
        SshFixture::write(m_ssh->home.path() + "/.ssh/id_ed25519", SshFixture::read(m_ssh->hosts.identity()));
        const auto error = connectTo(m_ssh->host(1), options);
        QVERIFY2(!error, error ? qPrintable(error->text()) : "");
        QVERIFY(QDir(m_ssh->home.path() + "/.ssh").removeRecursively());
    }

    void sshAgent() {
        const QString socket = m_folder.path() + "/agent";
        QProcess agent;
        agent.start("ssh-agent", {"-D", "-a", socket});
        QTRY_VERIFY(QFile::exists(socket));
        qputenv("SSH_AUTH_SOCK", socket.toUtf8());
        auto options = m_ssh->options;
        options.identityFiles.clear();
        const auto empty = connectTo(m_ssh->host(1), options);
        QCOMPARE(QProcess::execute("ssh-add", {"-q", m_ssh->hosts.identity()}), 0);
        const auto full = connectTo(m_ssh->host(1), options);
        qunsetenv("SSH_AUTH_SOCK");
        agent.kill();
        agent.waitForFinished();
        QVERIFY(empty);
        QCOMPARE(empty->code, ErrorCode::AuthRefused);
        QVERIFY2(!full, full ? qPrintable(full->text()) : "");
    }

    void unreachable_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("port");
        QTest::addColumn<QList<int>>("codes");
        QTest::newRow("no such name") << "no-such-host.invalid" << 0 << QList<int>{int(ErrorCode::Resolve)};
        QTest::newRow("nothing listens")
            << m_ssh->hosts.address(1) << 2999 << QList<int>{int(ErrorCode::Connect)};
        // The bridge answers for an address that nobody has, after some seconds.
        QTest::newRow("nobody there")
            << "10.81.0.99" << 0 << QList<int>{int(ErrorCode::Timeout), int(ErrorCode::Connect)};
    }
    void unreachable() {
        QFETCH(QString, name);
        QFETCH(int, port);
        QFETCH(QList<int>, codes);
        auto options = m_ssh->options;
        options.connectTimeout = 1500ms;
        QElapsedTimer timer;
        timer.start();
        const auto error = connectTo({"root", name, quint16(port)}, options);
        QVERIFY2(timer.elapsed() < 4000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(error);
        QVERIFY2(codes.contains(int(error->code)), qPrintable(error->text()));
        QVERIFY(error->tried.contains(name));
        QVERIFY(!error->fix.isEmpty());
    }

    void notAnSshServer() {
        m_ssh->hosts.in(
            2, "(while :; do printf 'HTTP/1.1 400 Bad\\r\\n\\r\\n' | timeout 20 python3 -c '"
               "import socket,sys; s=socket.create_server((\"\",8080)); c,_=s.accept(); "
               "c.sendall(b\"HTTP/1.1 400 Bad\\r\\n\\r\\n\"); c.close()'; done) >/dev/null 2>&1 & sleep 0.5");
        auto host = m_ssh->host(2);
        host.port = 8080;
        auto options = m_ssh->options;
        options.connectTimeout = 3s;
        QElapsedTimer timer;
        timer.start();
        const auto error = connectTo(host, options);
        QVERIFY(error);
        QVERIFY2(error->code == ErrorCode::Lost || error->code == ErrorCode::Timeout ||
                     error->code == ErrorCode::Protocol,
                 qPrintable(error->text()));
        QVERIFY2(timer.elapsed() < 10000, qPrintable(QString::number(timer.elapsed())));
    }

    void aServerThatSaysNothing() {
        m_ssh->hosts.in(2, "timeout 60 python3 -c 'import socket,time; s=socket.create_server((\"\",8081)); "
                           "time.sleep(60)' >/dev/null 2>&1 & sleep 0.5");
        auto host = m_ssh->host(2);
        host.port = 8081;
        auto options = m_ssh->options;
        options.connectTimeout = 1500ms;
        QElapsedTimer timer;
        timer.start();
        const auto error = connectTo(host, options);
        QVERIFY(error);
        QCOMPARE(error->code, ErrorCode::Timeout);
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));

        const CancelToken cancel;
        std::thread canceller([cancel] {
            std::this_thread::sleep_for(200ms);
            cancel.cancel();
        });
        options.connectTimeout = 60s;
        timer.start();
        const auto cancelled = connectTo(host, options, cancel);
        canceller.join();
        QVERIFY(cancelled);
        QCOMPARE(cancelled->code, ErrorCode::Cancelled);
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    }

    void cancelWhileConnecting() {
        const CancelToken cancel;
        std::thread canceller([cancel] {
            std::this_thread::sleep_for(200ms);
            cancel.cancel();
        });
        auto options = m_ssh->options;
        options.connectTimeout = 60s;
        QElapsedTimer timer;
        timer.start();
        const auto error = connectTo({"root", "10.81.0.98", 0}, options, cancel);
        canceller.join();
        QVERIFY(error);
        QCOMPARE(error->code, ErrorCode::Cancelled);
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    }

    /// MaxStartups: sshd drops connections at random when many begin at once.
    void manyBegin() {
        m_ssh->configureSshd(2, "MaxStartups 2:100:2");
        std::atomic<int> good = 0;
        std::vector<std::thread> threads;
        for (int i = 0; i < 10; ++i)
            threads.emplace_back([&] { good += !connectTo(m_ssh->host(2), m_ssh->options); });
        for (auto& thread : threads)
            thread.join();
        m_ssh->configureSshd(2, "");
        QCOMPARE(good.load(), 10);
    }

    void nothingIsLeftOpen() {
        const auto count = [] {
            return QDir("/proc/self/fd").entryList(QDir::AllEntries | QDir::System).size();
        };
        QVERIFY(!connectTo(m_ssh->host(1), m_ssh->options));
        const auto before = count();
        for (int i = 0; i < 5; ++i)
            QVERIFY(!connectTo(m_ssh->host(1), m_ssh->options));
        QVERIFY(connectTo(m_ssh->host(1, "nobody-there"), m_ssh->options));
        QCOMPARE(count(), before);
        QTRY_COMPARE(m_ssh->hosts.in(1, "pgrep -fc '[c]oxswain-agent serve' || :").trimmed(), "0");
    }
};

QTEST_GUILESS_MAIN(SshLoginTest)
#include "tst_sshlogin.moc"
