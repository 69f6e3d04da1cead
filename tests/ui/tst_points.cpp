// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/points.h"
#include "ui/runpage/ansistripper.h"

#include <QTest>

#include <cmath>

using namespace coxswain::ui;
using coxswain::core::Bin;

namespace {

const double nan = std::nan("");

Bin sample(double x, double y) {
    return {x, x, y, y, y, 1, false};
}

Bin odd(double x) {
    return {x, x, nan, nan, nan, 1, true};
}

} // namespace

class PointsTest : public QObject {
    Q_OBJECT
private slots:
    void singleSamplesAreExact() {
        const auto points = linePoints({sample(1, 5), sample(2, 4)}, 100);
        QCOMPARE(points.x, QVector<double>({1, 2}));
        QCOMPARE(points.y, QVector<double>({5, 4}));
        QVERIFY(points.nonFinite.isEmpty());
    }

    void aSpikeInABinIsKept() {
        const auto points = linePoints({sample(1, 5), Bin{2, 11, 1, 90, 10, 10, false}}, 100);
        QCOMPARE(points.y.size(), 3);
        QVERIFY(points.y.contains(90));
        QVERIFY(points.y.contains(1));
        // From 5 the line goes to the nearer value first.
        QCOMPARE(points.y[1], 1.0);
    }

    void nanBreaksTheLineAndIsMarked() {
        const auto points = linePoints({sample(1, 5), odd(2), odd(3), sample(4, 4)}, 100);
        QCOMPARE(points.nonFinite, QVector<double>({2, 3}));
        QCOMPARE(points.y.size(), 3);
        QVERIFY(std::isnan(points.y[1]));
    }

    void missingStepsBreakTheLine() {
        const auto points = linePoints({sample(1, 5), sample(2, 5), sample(6, 4)}, 100);
        QCOMPARE(points.y.size(), 4);
        QVERIFY(std::isnan(points.y[2]));
        QCOMPARE(points.x[2], 4.0);
    }

    void neverMoreThanAsked() {
        QList<Bin> bins;
        for (int i = 0; i < 50; ++i) // every second bin is missing: three points for each bin
            bins.append(Bin{i * 20.0, i * 20.0 + 9, double(i % 3), double(i % 3) + 1, 1, 10, i % 7 == 0});
        const auto points = linePoints(bins, 100);
        QVERIFY2(points.x.size() <= 100, qPrintable(QString::number(points.x.size())));
        double high = 0;
        for (const double y : points.y)
            high = std::fmax(high, y);
        QCOMPARE(high, 3.0);
        QVERIFY(!points.nonFinite.isEmpty());
    }

    void binAtFindsTheNearest() {
        const QList<Bin> bins{sample(1, 5), Bin{2, 11, 1, 90, 10, 10, false}, sample(20, 3)};
        QCOMPARE(binAt(bins, 1.2)->minimum, 5.0);
        QCOMPARE(binAt(bins, 7)->maximum, 90.0);
        QVERIFY(!binAt(bins, 15));
        QCOMPARE(binAt(bins, 20.4)->mean, 3.0);
        QVERIFY(!binAt({}, 1));
    }

    void columnMeansWeighSamples() {
        const QList<Bin> a{sample(0.5, 10), Bin{2.5, 3.4, 1, 3, 2, 3, false}};
        const QList<Bin> b{sample(0.5, 20), sample(2.6, 6)};
        const auto means = columnMeans({a, b}, 0, 4, 4);
        QCOMPARE(means[0], 15.0);
        QVERIFY(std::isnan(means[1]));
        QCOMPARE(means[2], 3.0); // (3 × 2 + 1 × 6) / 4
        QVERIFY(std::isnan(means[3]));
    }

    void ansi_data() {
        QTest::addColumn<QByteArrayList>("pieces");
        QTest::addColumn<QString>("text");
        QTest::newRow("plain") << QByteArrayList{"a\nb\n"} << "a\nb\n";
        QTest::newRow("colours") << QByteArrayList{"\x1b[1;32mok\x1b[0m\n"} << "ok\n";
        QTest::newRow("cut anywhere") << QByteArrayList{"\x1b", "[1;3", "2mok\x1b[", "0m\n"} << "ok\n";
        QTest::newRow("title") << QByteArrayList{"\x1b]0;rm -rf\x07x"} << "x";
        QTest::newRow("title, long end") << QByteArrayList{"\x1b]0;t\x1b\\x"} << "x";
        QTest::newRow("damaged") << QByteArrayList{"\x1b[12\nnext"} << "\nnext";
        QTest::newRow("progress bar") << QByteArrayList{"1 %\r2 %\r\ndone\r", "\n"} << "1 %\n2 %\ndone\n";
        QTest::newRow("bells") << QByteArrayList{QByteArray("a\x07\x08"
                                                            "b\0"
                                                            "c",
                                                            6)}
                               << "abc";
        QTest::newRow("utf-8 cut") << QByteArrayList{"\xe2\x82", "\xac"} << "€";
    }
    void ansi() {
        QFETCH(QByteArrayList, pieces);
        AnsiStripper stripper;
        QString text;
        for (const auto& piece : pieces)
            text += stripper.feed(piece);
        QTEST(text, "text");
    }
};

QTEST_APPLESS_MAIN(PointsTest)
#include "tst_points.moc"
