// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checktexts.h"
#include "ui/format.h"

#include <QLocale>
#include <QTest>

#include <limits>

namespace format = coxswain::ui::format;

class FormatTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void bytes_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << 0.0 << "0 B";
        QTest::newRow("few") << 999.0 << "999 B";
        QTest::newRow("kibi") << 1024.0 << "1.00 KiB";
        QTest::newRow("just below") << 1023.9 << "1.00 KiB";
        QTest::newRow("mebi") << 118.2 * 1024 * 1024 << "118 MiB";
        QTest::newRow("gibi") << 13.42 * 1024 * 1024 * 1024 << "13.4 GiB";
        QTest::newRow("tebi") << 2.0 * 1024 * 1024 * 1024 * 1024 << "2.00 TiB";
        QTest::newRow("beyond") << 5000.0 * 1024 * 1024 * 1024 * 1024 << "5,000 TiB";
        QTest::newRow("nan") << std::numeric_limits<double>::quiet_NaN() << "NaN";
    }
    void bytes() {
        QFETCH(double, value);
        QTEST(format::bytes(value), "text");
    }

    void duration_data() {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("unknown") << -1.0 << "unknown";
        QTest::newRow("zero") << 0.0 << "0 s";
        QTest::newRow("milliseconds") << 0.0123 << "12.3 ms";
        QTest::newRow("almost a second") << 0.9996 << "1.0 s";
        QTest::newRow("seconds") << 12.34 << "12.3 s";
        QTest::newRow("almost a minute") << 59.96 << "1 min 0 s";
        QTest::newRow("minutes") << 245.0 << "4 min 5 s";
        QTest::newRow("hours") << 3.0 * 3600 + 12 * 60 << "3 h 12 min";
        QTest::newRow("almost an hour") << 3599.9 << "1 h 0 min";
        QTest::newRow("days") << 2.0 * 86400 + 4 * 3600 << "2 d 4 h";
    }
    void duration() {
        QFETCH(double, seconds);
        QTEST(format::duration(seconds), "text");
    }

    void number_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("loss") << 2.83712 << "2.837";
        QTest::newRow("loss with zeros") << 2.8 << "2.800";
        QTest::newRow("below one") << 0.51234 << "0.512";
        QTest::newRow("large") << 12345.6 << "12346";
        QTest::newRow("learning rate") << 1e-3 << "0.001";
        QTest::newRow("small") << 3.2e-7 << "3.2e-7";
        QTest::newRow("zero") << 0.0 << "0";
        QTest::newRow("negative") << -2.5 << "-2.500";
        QTest::newRow("nan") << std::numeric_limits<double>::quiet_NaN() << "NaN";
        QTest::newRow("infinity") << std::numeric_limits<double>::infinity() << "∞";
    }
    void number() {
        QFETCH(double, value);
        QTEST(format::number(value), "text");
    }

    void rates() {
        QCOMPARE(format::tokensPerSecond(12345), QString("12.3 k tokens/s"));
        QCOMPARE(format::tokensPerSecond(-1), QString("unknown"));
        QCOMPARE(format::bytesPerSecond(250.0 * 1024 * 1024), QString("250 MiB/s"));
        QCOMPARE(format::bytesPerSecond(-1), QString("unknown"));
        QCOMPARE(format::shortCount(2.6e6), QString("2.60 M"));
        QCOMPARE(format::count(1234567), QString("1,234,567"));
    }

    void ago() {
        const QDateTime now(QDate(2026, 5, 10), QTime(15, 0));
        QCOMPARE(format::ago(now.addSecs(-5), now), QString("just now"));
        QCOMPARE(format::ago(now.addSecs(-185), now), QString("3 min ago"));
        QCOMPARE(format::ago(now.addSecs(-2 * 3600), now), QString("today 13:00"));
        QCOMPARE(format::ago(now.addDays(-1), now), QString("yesterday 15:00"));
        QCOMPARE(format::ago(now.addDays(-40), now), QString("2026-03-31 15:00"));
        QCOMPARE(format::ago(now.addSecs(90), now), QString("2026-05-10 15:01:30"));
        QCOMPARE(format::ago(QDateTime(), now), QString());
    }

    void commandOfAFix_data() {
        QTest::addColumn<QString>("fix");
        QTest::addColumn<QString>("command");
        QTest::newRow("a command") << "sudo apt-get install openssh-client"
                                   << "sudo apt-get install openssh-client";
        QTest::newRow("after words") << "Free some space; see what takes it: du -xsh /root ~/* | sort -h"
                                     << "du -xsh /root ~/* | sort -h";
        QTest::newRow("words behind") << "sudo mount -o remount,size=1G /dev/shm (in Docker: --shm-size=1g)"
                                      << "sudo mount -o remount,size=1G /dev/shm";
        QTest::newRow("an alternative") << "sudo apt-get install openssh-client, or name another node first"
                                        << "sudo apt-get install openssh-client";
        QTest::newRow("only words") << "Leave the node out: the runtimes are built for x86_64"
                                    << "";
        QTest::newRow("nothing") << ""
                                 << "";
    }
    void commandOfAFix() {
        QFETCH(QString, fix);
        QTEST(coxswain::ui::checktexts::command(fix), "command");
    }
};

QTEST_GUILESS_MAIN(FormatTest)
#include "tst_format.moc"
