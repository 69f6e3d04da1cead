// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/knownhosts.h"

#include <QTest>

using namespace coxswain::core;

namespace {

// Made with ssh-keygen; their fingerprints are what ssh-keygen -l prints.
const QByteArray ed25519 = "AAAAC3NzaC1lZDI1NTE5AAAAIPatLHtEWwGn9Xz47ek8035DRHio7gWBBK16MqbpiWoR";
const QByteArray otherEd25519 = "AAAAC3NzaC1lZDI1NTE5AAAAIDW9keo96jezYktcOfxBfdV+0NK76KuHkFLDgaJaKsyG";
const QByteArray ecdsa =
    "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBKNvK45ttCPAjspL51if7rg5CLloxtWhROqkDcPZ"
    "0VRwIKhi6PMh4341mB6xB8Vcil7ZmITTi+5qEOHE8HR4Jw8=";
const QByteArray rsa =
    "AAAAB3NzaC1yc2EAAAADAQABAAAAgQC51U9kwS47hD2/n1a1XWzVQ6U5DhGKm1loj7oJsPsH+XcPuBDXzDLlpjIAWAJJDv"
    "VZbNGPGR+CdEXBJTcgOjI1Gifg8+EE6551gBk34/jWgA5mr2KNEHJo/ATFggKqZroMv6vInbVNJbGapP5VJ1GduOqA7u6n"
    "B/GOjqhEcLC1dw==";
// "node1", "[node1]:2222" and "10.0.0.1", by ssh-keygen -H
const QByteArray hashedNode1 = "|1|Koki/Hct4pSTxvNbe/3doFpY3eo=|LuIT1VWAS3FB30VfAGVO6U0BnFU=";
const QByteArray hashedNode1At2222 = "|1|msDnC65IjHTKW2jkUME4ZDmmuYY=|DHu4NK5Vwbt667OWyVoSZ9zIGk4=";
const QByteArray hashedAddress = "|1|JxFm5YZmQBFDCRuvE2X3cTr2iag=|97i05P3XyBBklttw4a8mpmeVUYU=";

const QByteArray ed = " ssh-ed25519 " + ed25519;
const QByteArray other = " ssh-ed25519 " + otherEd25519;

HostKey keyOf(const QByteArray& type, const QByteArray& base64) {
    return {type, QByteArray::fromBase64(base64)};
}

HostName hostOf(const char* text) {
    const auto list = parseHostList(QString::fromUtf8(text));
    return list && list->size() == 1 ? list->first() : HostName{};
}

} // namespace

class KnownHostsTest : public QObject {
    Q_OBJECT
private slots:
    void judges_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<int>("verdict");
        const auto row = [](const char* name, const QByteArray& text, const char* host,
                            HostKeyVerdict::Kind kind) {
            QTest::newRow(name) << text << QByteArray(host) << int(kind);
        };
        using V = HostKeyVerdict;
        row("empty file", "", "node1", V::Unknown);
        row("plain", "node1" + ed, "node1", V::Known);
        row("user does not matter", "node1" + ed, "me@node1", V::Known);
        row("with a comment and blanks", "  node1\t ssh-ed25519 \t" + ed25519 + " root@node1 ", "node1",
            V::Known);
        row("Windows line ends", "node0" + other + "\r\nnode1" + ed + "\r\n", "node1", V::Known);
        row("case", "NODE1.Lab" + ed, "node1.LAB", V::Known);
        row("one of several names", "a,node1,10.0.0.1" + ed, "10.0.0.1", V::Known);
        row("another name", "node10,anode1,node" + ed, "node1", V::Unknown);
        row("changed", "node1" + other, "node1", V::Changed);
        row("another type only", "node1 ssh-rsa " + rsa, "node1", V::Changed);
        row("old and new key", "node1" + other + "\nnode1" + ed, "node1", V::Known);
        row("hashed", hashedNode1 + ed, "node1", V::Known);
        row("hashed, case", hashedNode1 + ed, "Node1", V::Known);
        row("hashed, other host", hashedNode1 + ed, "node2", V::Unknown);
        row("hashed, changed", hashedNode1 + other, "node1", V::Changed);
        row("hashed address", hashedAddress + ed, "10.0.0.1", V::Known);
        row("hashed, port", hashedNode1At2222 + ed, "node1:2222", V::Known);
        row("hashed, wrong port", hashedNode1At2222 + ed, "node1:2223", V::Unknown);
        row("port", "[node1]:2222" + ed, "node1:2222", V::Known);
        row("port 22 is none", "node1" + ed, "node1:22", V::Known);
        row("other port", "[node1]:2222" + ed, "node1", V::Unknown);
        row("changed at this port", "[node1]:2222" + other, "node1:2222", V::Changed);
        row("bare name proves the key at another port", "node1" + ed, "node1:2222", V::Known);
        row("bare name says nothing against one", "node1" + other, "node1:2222", V::Unknown);
        row("port's own line before the bare name's", "node1" + ed + "\n[node1]:2222" + other, "node1:2222",
            V::Changed);
        row("IPv6", "fe80::2" + ed, "fe80::2", V::Known);
        row("IPv6, port", "[fe80::2]:24" + ed, "[fe80::2]:24", V::Known);
        row("star", "*.lab.org" + ed, "gpu1.lab.org", V::Known);
        row("star needs the rest", "*.lab.org" + ed, "lab.org", V::Unknown);
        row("stars", "g*1.*.org" + ed, "gpu1.lab1.org", V::Known);
        row("question mark", "node?" + ed, "node1", V::Known);
        row("question mark is one character", "node1?" + ed, "node1", V::Unknown);
        row("except", "node*,!node1" + ed, "node1", V::Unknown);
        row("except another", "!node2,node*" + ed, "node1", V::Known);
        row("only an exception", "!node2" + ed, "node1", V::Unknown);
        row("revoked", "@revoked node1" + ed, "node1", V::Revoked);
        row("revoked for all", "@revoked *" + ed, "node1", V::Revoked);
        row("revoked, hashed", "@revoked " + hashedNode1 + ed, "node1", V::Revoked);
        row("revoked wins over known, before", "@revoked *" + ed + "\nnode1" + ed, "node1", V::Revoked);
        row("revoked wins over known, after", "node1" + ed + "\n@revoked\tnode1" + ed, "node1", V::Revoked);
        row("revoked for the bare name holds at other ports", "@revoked node1" + ed, "node1:2222",
            V::Revoked);
        row("another key revoked", "@revoked *" + other + "\nnode1" + ed, "node1", V::Known);
        row("another key revoked, none known", "@revoked *" + other, "node1", V::Unknown);
        row("revoked for another host", "@revoked node2" + ed + "\nnode1" + ed, "node1", V::Known);
        row("certificate authority", "@cert-authority node1" + ed, "node1", V::Unknown);
        row("unknown marker", "@friend node1" + ed, "node1", V::Unknown);
        row("comment", "# node1" + ed + "\n#node1" + ed, "node1", V::Unknown);
        row("no key", "node1\nnode1 ssh-ed25519\nnode1 ssh-ed25519 ", "node1", V::Unknown);
        row("not base64", "node1 ssh-ed25519 AAAA*AAA", "node1", V::Unknown);
        row("type and key differ", "node1 ssh-rsa " + ed25519, "node1", V::Unknown);
        row("cut key", "node1 ssh-ed25519 AAAAC3Nz", "node1", V::Unknown);
        row("bad hashes", "|1|x" + ed + "\n||" + ed + "\n|2|a|b" + ed + "\n|1||" + ed + "\n|" + ed, "node1",
            V::Unknown);
        row("damaged lines hide nothing", QByteArray("\0\xff", 2) + "\n\nnode1 x y z\n@revoked\nnode1" + ed,
            "node1", V::Known);
    }
    void judges() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, host);
        QFETCH(int, verdict);
        const HostName name = hostOf(host.constData());
        QVERIFY(!name.host.isEmpty());
        const auto lines = parseKnownHosts(text, "kh");
        QCOMPARE(int(judgeHostKey(lines, name, keyOf("ssh-ed25519", ed25519)).kind), verdict);
    }

    void hostilePatternEnds() {
        const QByteArray stars = QByteArray("a*").repeated(2000) + 'b';
        const auto lines = parseKnownHosts(stars + ed, "kh");
        QCOMPARE(lines.size(), 1);
        HostName host;
        host.host = QString(4000, u'a');
        QCOMPARE(judgeHostKey(lines, host, keyOf("ssh-ed25519", ed25519)).kind, HostKeyVerdict::Unknown);
    }

    void fingerprints() {
        QCOMPARE(keyOf("ssh-ed25519", ed25519).fingerprint(),
                 "SHA256:jIuiQuOiZUkY/huimFDuHY7ndSS9OdU48lEOe088W9I");
        QCOMPARE(keyOf("ecdsa-sha2-nistp256", ecdsa).fingerprint(),
                 "SHA256:gXAWwVg9tkQUviSGoDYOSS6u7MT1Q043JBRm8+fTuTE");
    }

    void writtenLineIsRead_data() {
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<QByteArray>("begin");
        QTest::newRow("name") << QByteArray("me@Node1") << QByteArray("node1 ssh-ed25519 ");
        QTest::newRow("port") << QByteArray("node1:2222") << QByteArray("[node1]:2222 ssh-ed25519 ");
        QTest::newRow("IPv6") << QByteArray("::1") << QByteArray("::1 ssh-ed25519 ");
        QTest::newRow("IPv6, port") << QByteArray("[::1]:24") << QByteArray("[::1]:24 ssh-ed25519 ");
    }
    void writtenLineIsRead() {
        QFETCH(QByteArray, host);
        QFETCH(QByteArray, begin);
        const HostKey key = keyOf("ssh-ed25519", ed25519);
        const QByteArray line = knownHostsLine(hostOf(host.constData()), key);
        QCOMPARE(line, begin + ed25519 + '\n');
        const auto verdict = judgeHostKey(parseKnownHosts(line, "kh"), hostOf(host.constData()), key);
        QCOMPARE(verdict.kind, HostKeyVerdict::Known);
    }

    void algorithmsPreferWhatIsKnown_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<QStringList>("first");
        QTest::newRow("nothing") << QByteArray() << QByteArray("node1") << QStringList{"ssh-ed25519"};
        QTest::newRow("rsa") << QByteArray("node1 ssh-rsa " + rsa) << QByteArray("node1")
                             << QStringList{"rsa-sha2-512", "rsa-sha2-256", "ssh-ed25519"};
        QTest::newRow("ecdsa") << QByteArray("node1 ecdsa-sha2-nistp256 " + ecdsa) << QByteArray("node1")
                               << QStringList{"ecdsa-sha2-nistp256", "ssh-ed25519"};
        QTest::newRow("of another host")
            << QByteArray("node2 ssh-rsa " + rsa) << QByteArray("node1") << QStringList{"ssh-ed25519"};
        QTest::newRow("bare name, other port") << QByteArray("node1 ssh-rsa " + rsa) << QByteArray("node1:24")
                                               << QStringList{"rsa-sha2-512", "rsa-sha2-256"};
        QTest::newRow("revoked") << QByteArray("@revoked node1 ssh-rsa " + rsa) << QByteArray("node1")
                                 << QStringList{"ssh-ed25519"};
    }
    void algorithmsPreferWhatIsKnown() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, host);
        QFETCH(QStringList, first);
        const QStringList all = hostKeyAlgorithms(parseKnownHosts(text, "kh"), hostOf(host.constData()));
        QCOMPARE(all.size(), 6);
        QCOMPARE(all.mid(0, first.size()), first);
    }

    void errorsNameBothKeys() {
        const HostKey shown = keyOf("ssh-ed25519", ed25519);
        const HostKey kept = keyOf("ssh-ed25519", otherEd25519);
        const HostName host = hostOf("node1:2222");
        const auto lines = parseKnownHosts("x" + ed + "\n[node1]:2222" + other, "/home/me/known hosts");
        const Error error =
            hostKeyError(judgeHostKey(lines, host, shown), host, shown, "/home/me/known hosts");
        QCOMPARE(error.code, ErrorCode::HostKeyChanged);
        QCOMPARE(error.host, "node1:2222");
        QVERIFY2(error.seen.contains(shown.fingerprint()), qPrintable(error.seen));
        QVERIFY2(error.seen.contains(kept.fingerprint()), qPrintable(error.seen));
        QVERIFY2(error.seen.contains("/home/me/known hosts line 2"), qPrintable(error.seen));
        QVERIFY2(error.fix.contains("ssh-keygen -f '/home/me/known hosts' -R '[node1]:2222'"),
                 qPrintable(error.fix));
    }

    void errorsSayHowToAccept() {
        const HostKey shown = keyOf("ssh-ed25519", ed25519);
        const HostName host = hostOf("node1");
        const Error unknown = hostKeyError({}, host, shown, "kh");
        QCOMPARE(unknown.code, ErrorCode::HostKeyUnknown);
        QVERIFY2(unknown.seen.contains(shown.fingerprint()), qPrintable(unknown.seen));
        QVERIFY2(unknown.fix.contains("--accept-new"), qPrintable(unknown.fix));

        const auto lines = parseKnownHosts("\n\n@revoked *" + ed, "/etc/ssh/ssh_known_hosts");
        const Error revoked = hostKeyError(judgeHostKey(lines, host, shown), host, shown, "kh");
        QCOMPARE(revoked.code, ErrorCode::HostKeyRevoked);
        QVERIFY2(revoked.seen.contains("/etc/ssh/ssh_known_hosts line 3"), qPrintable(revoked.seen));
    }
};

QTEST_APPLESS_MAIN(KnownHostsTest)
#include "tst_knownhosts.moc"
