// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/limits.h"

#include <QElapsedTimer>
#include <QTest>

#include <poll.h>

#include <thread>

using namespace coxswain::remote;
using namespace std::chrono_literals;

class LimitsTest : public QObject {
    Q_OBJECT

    static bool isReadable(int descriptor, int wait) {
        pollfd list{descriptor, POLLIN, 0};
        return ::poll(&list, 1, wait) == 1;
    }

private slots:
    void copiesShareTheirState() {
        const CancelToken token;
        const CancelToken copy = token;
        const CancelToken other;
        QVERIFY(!token.isCancelled());
        QVERIFY(!isReadable(token.descriptor(), 0));
        copy.cancel();
        QVERIFY(token.isCancelled() && copy.isCancelled());
        QVERIFY(!other.isCancelled());
        token.cancel(); // again
        QVERIFY(isReadable(token.descriptor(), 0));
        QVERIFY(isReadable(copy.descriptor(), 0)); // and stays so: several may wait for it
        QVERIFY(!isReadable(other.descriptor(), 0));
    }

    void wakesAPoll() {
        const CancelToken token;
        std::thread waker([token] {
            std::this_thread::sleep_for(100ms);
            token.cancel();
        });
        QElapsedTimer timer;
        timer.start();
        QVERIFY(isReadable(token.descriptor(), 5000));
        const auto took = timer.elapsed();
        waker.join();
        QVERIFY2(took >= 90 && took < 1000, qPrintable(QString::number(took)));
    }

    void cancelFromManyThreads() {
        for (int round = 0; round < 20; ++round) {
            const CancelToken token;
            std::thread one([token] { token.cancel(); });
            std::thread two([token] { token.cancel(); });
            QVERIFY(isReadable(token.descriptor(), 5000));
            one.join();
            two.join();
        }
    }

    void deadlines() {
        const Deadline past(-5s);
        QVERIFY(past.hasPassed());
        QCOMPARE(past.left(), 0);
        const Deadline soon(50ms);
        QVERIFY(!soon.hasPassed());
        QVERIFY(soon.left() > 0 && soon.left() <= 50);
        QCOMPARE(soon.left(10), 10);
        std::this_thread::sleep_for(60ms);
        QVERIFY(soon.hasPassed());
        QCOMPARE(soon.left(), 0);
        const Deadline far(std::chrono::hours(24 * 365)); // more milliseconds than an int holds
        QVERIFY(!far.hasPassed());
        QVERIFY(far.left() > 1'000'000);
    }
};

QTEST_APPLESS_MAIN(LimitsTest)
#include "tst_limits.moc"
