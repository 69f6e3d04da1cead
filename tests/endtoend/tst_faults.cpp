// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong for people: each gives a clear error in the right place, and leaves nothing behind.
#include "tests/endtoend/cluster.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTest>

using namespace coxswain::test;

class TestFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_cluster = std::make_unique<Cluster>(QStringLiteral("10.88.0")); }
    void cleanupTestCase() { m_cluster.reset(); }
    void cleanup() {
        for (int node = 1; node <= 3; ++node) {
            QCOMPARE(m_cluster->leftProcesses(node), QByteArray());
            QVERIFY(!m_cluster->authorizedKeys(node).contains("coxswain"));
            QCOMPARE(m_cluster->hosts().in(
                         node, QStringLiteral("find / -xdev -name '*.partial*' 2>/dev/null | head -3")),
                     QByteArray());
        }
    }

    void unknownHost() {
        const QString file = m_cluster->desktop().filePath(QStringLiteral("known"));
        QFile::remove(file);
        const QStringList login{QStringLiteral("--identity"), m_cluster->hosts().identity(),
                                QStringLiteral("--known-hosts"), file};
        auto result = m_cluster->cli(
            QStringList{QStringLiteral("check"), m_cluster->node(1), QStringLiteral("--json")} + login, 30,
            false);
        QCOMPARE(result.status, 1);
        QVERIFY2(result.out.contains("SHA256:") && result.out.contains("--accept-new"), result.out);
        QVERIFY(!QFile::exists(file));
        result = m_cluster->cli(QStringList{QStringLiteral("check"), m_cluster->node(1),
                                            QStringLiteral("--json"), QStringLiteral("--accept-new")} +
                                    login,
                                30, false);
        QVERIFY2(result.status == 0, result.out + result.err);
        // accepted once: not asked again
        result = m_cluster->cli(QStringList{QStringLiteral("check"), m_cluster->node(1)} + login, 30, false);
        QCOMPARE(result.status, 0);
    }

    void changedHostKey() {
        QFile good(m_cluster->hosts().knownHosts());
        QVERIFY(good.open(QIODevice::ReadOnly));
        const QByteArray other = good.readAll().split('\n').at(1).split(' ').at(2); // node 2's key
        const QString file = m_cluster->desktop().filePath(QStringLiteral("changed"));
        QFile bad(file);
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write(m_cluster->hosts().address(1).toUtf8() + " ssh-ed25519 " + other + '\n');
        bad.close();
        const auto result =
            m_cluster->cli({QStringLiteral("check"), m_cluster->node(1), QStringLiteral("--accept-new"),
                            QStringLiteral("--identity"), m_cluster->hosts().identity(),
                            QStringLiteral("--known-hosts"), file},
                           30, false);
        QCOMPARE(result.status, 1);
        QCOMPARE(result.out.count("SHA256:"), 2);
    }

    void refusedKey() {
        const QString key = m_cluster->desktop().filePath(QStringLiteral("other"));
        QProcess::execute(QStringLiteral("ssh-keygen"),
                          {QStringLiteral("-q"), QStringLiteral("-t"), QStringLiteral("ed25519"),
                           QStringLiteral("-N"), QString(), QStringLiteral("-f"), key});
        const auto result =
            m_cluster->cli({QStringLiteral("run"), Cluster::job(), QStringLiteral("--json"),
                            QStringLiteral("--nodes"), m_cluster->nodes(), QStringLiteral("--identity"), key,
                            QStringLiteral("--known-hosts"), m_cluster->hosts().knownHosts()},
                           60, false);
        QCOMPARE(result.status, 1);
        const auto error = result.json()[QStringLiteral("errors")].toArray().first().toObject();
        QCOMPARE(error[QStringLiteral("code")].toString(), QStringLiteral("auth_refused"));
        QVERIFY(error[QStringLiteral("text")].toString().contains(QStringLiteral("ssh-copy-id")));
    }

    void chattyStartUp() {
        m_cluster->hosts().in(2, QStringLiteral("echo 'echo hello; echo world >&2' >> /root/.bashrc"));
        const auto result = m_cluster->cli({QStringLiteral("run"), Cluster::job(), QStringLiteral("--json"),
                                            QStringLiteral("--nodes"), m_cluster->nodes(),
                                            QStringLiteral("--set"), QStringLiteral("train.steps=3")});
        QVERIFY2(result.status == 0, result.err);
    }

    void fullDisk() {
        m_cluster->hosts().in(
            2, QStringLiteral("mv /root/.coxswain /root/.was 2>/dev/null; mkdir /root/.coxswain; mount -t "
                              "tmpfs -o size=40m tmpfs /root/.coxswain"));
        const auto result = m_cluster->cli({QStringLiteral("run"), Cluster::job(), QStringLiteral("--json"),
                                            QStringLiteral("--nodes"), m_cluster->nodes(),
                                            QStringLiteral("--set"), QStringLiteral("train.steps=3")});
        m_cluster->hosts().in(2, QStringLiteral("umount /root/.coxswain; rmdir /root/.coxswain; mv "
                                                "/root/.was /root/.coxswain 2>/dev/null; true"));
        QCOMPARE(result.status, 1);
        const auto error = result.json()[QStringLiteral("errors")].toArray().first().toObject();
        QCOMPARE(error[QStringLiteral("host")].toString(), m_cluster->node(2));
        QVERIFY2(error[QStringLiteral("text")].toString().contains(QStringLiteral("disk")), result.out);
    }

    void wrongField() {
        const auto result =
            m_cluster->cli({QStringLiteral("run"), Cluster::job(), QStringLiteral("--nodes"),
                            m_cluster->nodes(), QStringLiteral("--set"), QStringLiteral("train.steps=-3")});
        QCOMPARE(result.status, 1);
        QVERIFY2(result.err.contains("train.steps: expected a whole number from 1"), result.err);
        const auto unknown = m_cluster->cli({QStringLiteral("run"), Cluster::job(), QStringLiteral("--set"),
                                             QStringLiteral("train.lerning_rate=1")});
        QCOMPARE(unknown.status, 1);
        QVERIFY2(unknown.err.contains("did you mean \"train.learning_rate\""), unknown.err);
    }

    void missingData() {
        const QString before = newestRunFolder();
        const auto result = m_cluster->cli({QStringLiteral("run"), Cluster::job(), QStringLiteral("--nodes"),
                                            m_cluster->nodes(), QStringLiteral("--set"),
                                            QStringLiteral("data.source=nowhere.txt")});
        QCOMPARE(result.status, 1);
        QVERIFY2(result.err.contains("data.source") && result.err.contains("nowhere.txt"), result.err);
        QCOMPARE(newestRunFolder(), before);
    }

    /// The ranks themselves refuse: data too small for one sequence a lane.
    void dataTooSmall() {
        QFile file(m_cluster->desktop().filePath(QStringLiteral("small.txt")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("In the beginning\n");
        file.close();
        const auto result = m_cluster->cli(
            {QStringLiteral("run"), Cluster::job(), QStringLiteral("--json"), QStringLiteral("--nodes"),
             m_cluster->nodes(), QStringLiteral("--set"), QStringLiteral("data.source=") + file.fileName()});
        QCOMPARE(result.status, 1);
        QVERIFY2(
            result.json()[QStringLiteral("failure")].toObject()[QStringLiteral("detail")].toString().contains(
                QStringLiteral("data is too small")),
            result.out);
    }

private:
    std::unique_ptr<Cluster> m_cluster;
};

QTEST_GUILESS_MAIN(TestFaults)
#include "tst_faults.moc"
