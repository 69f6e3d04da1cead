// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/csvexport.h"
#include "cluster/job/runfolder.h"
#include "tests/job/samplerecord.h"

#include <QBuffer>
#include <QDir>
#include <QFile>
#include <QLockFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace coxswain;
using namespace coxswain::test;

class TestRunFolder : public QObject {
    Q_OBJECT

private slots:
    void recordsComeBackWhole() {
        const auto record = sampleRecord();
        const QByteArray text = job::toJsonText(record);
        const auto back = job::parseRunRecord(text);
        QVERIFY2(back, back ? "" : qPrintable(back.error().text()));
        QCOMPARE(job::toJsonText(*back), text); // nothing is lost on the way
        QCOMPARE(back->plan.nodes[1].host, record.plan.nodes[1].host);
        QCOMPARE(back->plan.nodes[1].lanes, record.plan.nodes[1].lanes);
        QCOMPARE(back->created, record.created);
        QVERIFY(std::isnan(*back->lastLoss));
        QCOMPARE(back->errors, record.errors);
    }

    /// Every field of the top level is needed; a record that lacks one is damaged, not half read.
    void damagedRecordsAreRefused() {
        const QByteArray text = job::toJsonText(sampleRecord());
        for (qsizetype cut = 0; cut < text.size() - 2; cut += 7)
            QVERIFY(!job::parseRunRecord(text.left(cut)));
        QVERIFY(!job::parseRunRecord(QByteArray(text).replace("\"world_size\"", "\"world\"")));
        QVERIFY(!job::parseRunRecord(QByteArray(text).replace("coxswain.run/1.0", "coxswain.run/2.0")));
        QVERIFY(job::parseRunRecord(QByteArray(text).replace("coxswain.run/1.0", "coxswain.run/1.7")));
    }

    void foldersAreMadeListedAndRemoved() {
        const QTemporaryDir place;
        const QString runs = place.filePath(QStringLiteral("runs"));
        auto first = sampleRecord();
        const auto folder = job::RunFolder::create(runs, first);
        QVERIFY(folder);
        QVERIFY(!job::RunFolder::create(runs, first)); // never overwritten
        QCOMPARE(QFile::permissions(folder->path()) & (QFile::ReadGroup | QFile::ReadOther),
                 QFile::Permissions());
        auto second = sampleRecord();
        second.created = first.created.addDays(1);
        QVERIFY(job::RunFolder::create(runs, second));
        QDir(runs).mkdir(core::makeJobId()); // a folder without a record
        QStringList unreadable;
        const auto list = job::RunFolder::list(runs, &unreadable);
        QCOMPARE(list.size(), 2);
        QCOMPARE(list[0].id, second.id);
        QCOMPARE(unreadable.size(), 1);
        QVERIFY(!job::RunFolder::open(runs, QStringLiteral("../etc")));
        QVERIFY(job::RunFolder::remove(runs, first.id));
        QVERIFY(!QFile::exists(folder->path()));
    }

    void onlyOneFollows() {
        const QTemporaryDir place;
        const auto folder = job::RunFolder::create(place.path(), sampleRecord());
        QVERIFY(folder);
        {
            const auto held = folder->lock();
            QVERIFY(held);
            const auto second = folder->lock();
            QVERIFY(!second);
            QCOMPARE(second.error().code, core::ErrorCode::Conflict);
            QVERIFY(!job::RunFolder::remove(place.path(), folder->path().section(QLatin1Char('/'), -1)));
        }
        QVERIFY(folder->lock());
    }

    void csvHasEveryStepOfEveryRank() {
        const QTemporaryDir place;
        auto record = sampleRecord();
        record.plan.worldSize = 2;
        const auto folder = job::RunFolder::create(place.path(), record);
        for (int rank = 0; rank < 2; ++rank) {
            QFile file(folder->file(QStringLiteral("rank-%1.jsonl").arg(rank)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray::fromStdString(wire::toJsonLine({1, 0, wire::StartLine{}})));
            for (int step = 1; step <= 3; ++step) {
                wire::StepLine line;
                line.step = step;
                line.loss = step == 2 ? std::numeric_limits<double>::infinity() : 1.5;
                file.write(QByteArray::fromStdString(wire::toJsonLine({1, 10.5, line})));
            }
            file.write("{\"kind\":\"st"); // being written
        }
        QBuffer out;
        out.open(QIODevice::WriteOnly);
        QVERIFY(job::exportCsv(*folder, out));
        const auto rows = out.data().trimmed().split('\n');
        QCOMPARE(rows.size(), 1 + 2 * 3);
        QVERIFY(rows[0].startsWith("rank,attempt,step,time,epoch,loss"));
        QVERIFY2(rows[2].startsWith("0,1,2,10.5,0.0,Infinity,"), rows[2]);
        QVERIFY(rows[6].startsWith("1,1,3,"));
        QCOMPARE(rows[6].count(','), rows[0].count(','));
    }
};

QTEST_GUILESS_MAIN(TestRunFolder)
#include "tst_runfolder.moc"
