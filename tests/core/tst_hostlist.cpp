// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/hostlist.h"

#include <QTest>

using namespace coxswain::core;

class HostListTest : public QObject {
    Q_OBJECT
private slots:
    void reads_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("hosts");
        QTest::newRow("empty") << "" << QStringList{};
        QTest::newRow("one") << "node1" << QStringList{"node1"};
        QTest::newRow("commas and spaces") << "a, b\tc\nd;e,,f" << QStringList{"a", "b", "c", "d", "e", "f"};
        QTest::newRow("user and port") << "me@box:2222" << QStringList{"me@box:2222"};
        QTest::newRow("default port is left out") << "box:22" << QStringList{"box"};
        QTest::newRow("zero padding") << "gpu[01-03,12]" << QStringList{"gpu01", "gpu02", "gpu03", "gpu12"};
        QTest::newRow("padding grows") << "n[8-11]" << QStringList{"n8", "n9", "n10", "n11"};
        QTest::newRow("padded over the limit") << "n[08-11]" << QStringList{"n08", "n09", "n10", "n11"};
        QTest::newRow("two ranges") << "r[1-2]n[1,3]" << QStringList{"r1n1", "r1n3", "r2n1", "r2n3"};
        QTest::newRow("suffix") << "me@gpu[1-2].lab.org:24"
                                << QStringList{"me@gpu1.lab.org:24", "me@gpu2.lab.org:24"};
        QTest::newRow("addresses") << "10.0.0.[1-2]" << QStringList{"10.0.0.1", "10.0.0.2"};
        QTest::newRow("spaces inside a range") << "a[1, 3] b" << QStringList{"a1", "a3", "b"};
        QTest::newRow("repetitions") << "a b a b:22 [::1] ::1" << QStringList{"a", "b", "::1"};
        QTest::newRow("comments") << "a # b c\n#d[\ne" << QStringList{"a", "e"};
        QTest::newRow("IPv6") << "fe80::1%eth0 [fe80::2]:22 root@[fe80::3]:24"
                              << QStringList{"fe80::1%eth0", "fe80::2", "root@[fe80::3]:24"};
        QTest::newRow("local") << "local other" << QStringList{"local", "other"};
        QTest::newRow("windows lines") << "a\r\nb\r\n" << QStringList{"a", "b"};
    }
    void reads() {
        QFETCH(QString, text);
        QFETCH(QStringList, hosts);
        const auto read = parseHostList(text);
        QVERIFY2(read.has_value(), read ? "" : qPrintable(read.error().text()));
        QStringList names;
        for (const HostName& host : *read)
            names.append(host.toString());
        QCOMPARE(names, hosts);
        // The canonical text is an id: it must read back as the same host.
        for (const HostName& host : *read) {
            const auto again = parseHostList(host.toString());
            QVERIFY(again.has_value());
            QCOMPARE(*again, QList<HostName>{host});
        }
    }

    void parts() {
        const auto read = parseHostList(u"me@[fe80::1]:2200");
        QVERIFY(read.has_value());
        QCOMPARE(read->first(), (HostName{"me", "fe80::1", 2200}));
    }

    void refuses_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("named"); // must stand in the error
        QTest::newRow("port 0") << "a:0"
                                << "port 0";
        QTest::newRow("port too big") << "a:65536"
                                      << "65536";
        QTest::newRow("port no number") << "a:ssh"
                                        << "a:ssh";
        QTest::newRow("huge port") << "a:99999999999999999999"
                                   << "port";
        QTest::newRow("no host") << "me@"
                                 << "me@";
        QTest::newRow("no user") << "@box"
                                 << "@box";
        QTest::newRow("option") << "good -oProxyCommand=x"
                                << "-oProxyCommand=x";
        QTest::newRow("user is an option") << "-o@box"
                                           << "-o@box";
        QTest::newRow("shell") << "a$(reboot)"
                               << "a$(reboot)";
        QTest::newRow("backwards") << "a[3-1]"
                                   << "3-1";
        QTest::newRow("no number") << "a[x]"
                                   << "a[x]";
        QTest::newRow("empty range") << "a[]"
                                     << "a[]";
        QTest::newRow("unclosed") << "a[1-2"
                                  << "\"]\"";
        QTest::newRow("unopened") << "a1-2]"
                                  << "\"[\"";
        QTest::newRow("nested") << "a[[1-2]]"
                                << "a[[1-2]]";
        QTest::newRow("half an address") << "10.1"
                                         << "10.1";
        QTest::newRow("bad address") << "10.0.0.[250-256]"
                                     << "10.0.0.256";
        QTest::newRow("bad IPv6") << "[fe80::1::2]"
                                  << "fe80::1::2";
        QTest::newRow("name in brackets") << "[a:b]x"
                                          << "[a:b]x";
        QTest::newRow("local with user") << "me@local"
                                         << "local";
        QTest::newRow("local with port") << "local:22"
                                         << "local";
        QTest::newRow("too many") << "a[0-4096]"
                                  << "4096";
        QTest::newRow("far too many") << "a[0-999999999][0-999999999]b[0-999999999][0-999999999]"
                                      << "4096";
        QTest::newRow("many together") << "a[0-4000] b[0-200]"
                                       << "4096";
        QTest::newRow("long") << QString(2000, u'a') << "1024";
        QTest::newRow("long name") << QString(300, u'a') << "neither";
    }
    void refuses() {
        QFETCH(QString, text);
        QFETCH(QString, named);
        const auto read = parseHostList(text);
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().code, ErrorCode::BadInput);
        QVERIFY2(read.error().text().contains(named), qPrintable(read.error().text()));
        QVERIFY(!read.error().fix.isEmpty());
    }

    void limitItselfIsAllowed() {
        const auto read = parseHostList(u"a[0-4095]");
        QVERIFY(read.has_value());
        QCOMPARE(read->size(), 4096);
    }
};

QTEST_APPLESS_MAIN(HostListTest)
#include "tst_hostlist.moc"
