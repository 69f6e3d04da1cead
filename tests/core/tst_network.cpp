// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/network.h"

#include <QTest>

using namespace coxswain::core;

namespace {

/// "eth0=10.0.0.1/24" with optional "@9000" (MTU) and "!" (down); several by spaces.
Inventory node(const QString& text) {
    Inventory inventory;
    inventory.interfaces.append({"lo", "127.0.0.1", 8, {}, 65536, true, true});
    for (const QString& word : text.split(u' ', Qt::SkipEmptyParts)) {
        NetworkInterface interface;
        interface.name = word.section(u'=', 0, 0);
        interface.up = !word.endsWith(u'!');
        QString rest = word.section(u'=', 1).remove(u'!');
        interface.mtu = rest.contains(u'@') ? rest.section(u'@', 1).toInt() : 1500;
        rest = rest.section(u'@', 0, 0);
        interface.address = rest.section(u'/', 0, 0);
        interface.prefixLength = rest.section(u'/', 1).toInt();
        inventory.interfaces.append(interface);
    }
    return inventory;
}

} // namespace

class NetworkTest : public QObject {
    Q_OBJECT
private slots:
    void common_data() {
        QTest::addColumn<QStringList>("nodes");
        QTest::addColumn<QString>("subnet");
        QTest::addColumn<QStringList>("addresses");
        using L = QStringList;
        QTest::newRow("plain") << L{"eth0=10.0.0.1/24", "eth0=10.0.0.2/24"} << "10.0.0.0/24"
                               << L{"10.0.0.1", "10.0.0.2"};
        QTest::newRow("names differ")
            << L{"eth0=10.0.0.1/24", "enp5s0=10.0.0.2/24"} << "10.0.0.0/24" << L{"10.0.0.1", "10.0.0.2"};
        QTest::newRow("odd prefix") << L{"eth0=10.1.130.1/17", "eth0=10.1.200.9/17"} << "10.1.128.0/17"
                                    << L{"10.1.130.1", "10.1.200.9"};
        QTest::newRow("docker twins")
            << L{"docker0=172.17.0.1/16 eth0=10.0.0.1/24", "docker0=172.17.0.1/16 eth0=10.0.0.2/24"}
            << "10.0.0.0/24" << L{"10.0.0.1", "10.0.0.2"};
        QTest::newRow("only docker twins")
            << L{"docker0=172.17.0.1/16", "docker0=172.17.0.1/16"} << "" << L{};
        QTest::newRow("docker of two addresses comes last")
            << L{"docker0=172.17.0.1/16 eth0=10.0.0.1/24", "docker0=172.17.0.2/16 eth0=10.0.0.2/24"}
            << "10.0.0.0/24" << L{"10.0.0.1", "10.0.0.2"};
        QTest::newRow("largest MTU") << L{"eth0=10.0.0.1/24 ib0=10.9.0.1/24@9000",
                                          "eth0=10.0.0.2/24 ib0=10.9.0.2/24@9000"}
                                     << "10.9.0.0/24" << L{"10.9.0.1", "10.9.0.2"};
        QTest::newRow("an MTU counts by its least")
            << L{"eth0=10.0.0.1/24@9000 b=10.9.0.1/24@4000", "eth0=10.0.0.2/24@1500 b=10.9.0.2/24@4000"}
            << "10.9.0.0/24" << L{"10.9.0.1", "10.9.0.2"};
        QTest::newRow("same MTU: first node's order")
            << L{"b=10.2.0.1/24 a=10.1.0.1/24", "a=10.1.0.2/24 b=10.2.0.2/24"} << "10.2.0.0/24"
            << L{"10.2.0.1", "10.2.0.2"};
        QTest::newRow("down") << L{"eth0=10.0.0.1/24! eth1=10.1.0.1/24", "eth0=10.0.0.2/24 eth1=10.1.0.2/24"}
                              << "10.1.0.0/24" << L{"10.1.0.1", "10.1.0.2"};
        QTest::newRow("third is elsewhere")
            << L{"eth0=10.0.0.1/24", "eth0=10.0.0.2/24", "eth0=10.0.1.3/24"} << "" << L{};
        QTest::newRow("wider mask on one")
            << L{"eth0=10.0.0.1/24", "eth0=10.0.0.2/16"} << "10.0.0.0/24" << L{"10.0.0.1", "10.0.0.2"};
        QTest::newRow("IPv6 only") << L{"eth0=fd00::1/64", "eth0=fd00::2/64"} << "" << L{};
        QTest::newRow("link local") << L{"eth0=169.254.0.1/16", "eth0=169.254.0.2/16"} << "" << L{};
        QTest::newRow("host routes") << L{"eth0=10.0.0.1/32", "eth0=10.0.0.1/32"} << "" << L{};
        QTest::newRow("nothing") << L{"", ""} << "" << L{};
        QTest::newRow("garbage") << L{"eth0=10.0.0.1/99", "eth0=nonsense/24"} << "" << L{};
    }
    void common() {
        QFETCH(QStringList, nodes);
        QFETCH(QString, subnet);
        QFETCH(QStringList, addresses);
        QList<Inventory> inventories;
        for (const QString& text : nodes)
            inventories.append(node(text));
        const auto found = commonSubnet(inventories);
        QCOMPARE(found ? found->cidr : QString(), subnet);
        for (qsizetype i = 0; i < addresses.size(); ++i)
            QCOMPARE(addressIn(inventories[i], *found), addresses[i]);
    }

    void duplicates() {
        const QList<Inventory> nodes{node("docker0=172.17.0.1/16 eth0=10.0.0.1/24"),
                                     node("docker0=172.17.0.1/16"),
                                     node("eth0=10.0.0.1/24 eth1=10.0.0.1/24")};
        QCOMPARE(duplicateAddresses(nodes), (QStringList{"10.0.0.1", "172.17.0.1"}));
        QCOMPARE(duplicateAddresses({node("a=10.0.0.1/24 b=10.0.0.1/24")}), QStringList{});
    }

    void interface() {
        const auto found = interfaceIn(node("eth0=10.0.0.1/24 ib0=10.9.0.1/24"), {"10.9.0.0/24"});
        QVERIFY(found.has_value());
        QCOMPARE(found->name, QString("ib0"));
        QVERIFY(!interfaceIn(node("eth0=10.0.0.1/24"), {"nonsense"}).has_value());
    }
};

QTEST_APPLESS_MAIN(NetworkTest)
#include "tst_network.moc"
