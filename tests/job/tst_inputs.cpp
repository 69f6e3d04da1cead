// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/inputs.h"
#include "cluster/job/runtimebundle.h"
#include "trainer/wire/sha256.h"
#include "trainer/wire/shard.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace coxswain;

namespace {

bool never() {
    return false;
}

void write(const QString& name, const QByteArray& content) {
    QFile file(name);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

} // namespace

class TestInputs : public QObject {
    Q_OBJECT

private slots:
    void everyDocumentGoesToOneRank() {
        const QTemporaryDir place;
        QByteArray text;
        for (int i = 0; i < 100; ++i)
            text += "document " + QByteArray::number(i) + '\n';
        write(place.filePath(QStringLiteral("d.txt")), text);
        wire::JobSpec spec;
        spec.data.source.path = "d.txt";
        spec.train.globalBatch = 8;
        const auto shards =
            job::prepareShards(spec, place.path(), 3, place.filePath(QStringLiteral("cache")), never);
        QVERIFY2(shards, shards ? "" : qPrintable(shards.error().text()));
        QCOMPARE(shards->size(), 3);
        std::int64_t documents = 0;
        for (const auto& shard : *shards) {
            QFile file(shard.path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(QString::fromStdString(wire::sha256Hex(file.readAll().toStdString())), shard.sha256);
            QCOMPARE(file.size(), shard.size);
            documents += wire::Documents::fromShard(shard.path.toStdString())->documentCount();
        }
        QCOMPARE(documents, 100);
    }

    void aSecondStartFindsThemAndAChangedSourceDoesNot() {
        const QTemporaryDir place;
        const QString source = place.filePath(QStringLiteral("d.txt"));
        const QString cache = place.filePath(QStringLiteral("cache"));
        write(source, "a\nb\nc\nd\n");
        wire::JobSpec spec;
        spec.data.source.path = source.toStdString();
        spec.train.globalBatch = 2;
        const auto first = job::prepareShards(spec, {}, 2, cache, never);
        QVERIFY(first);
        const auto made = QFileInfo(first->first().path).lastModified();
        const auto again = job::prepareShards(spec, {}, 2, cache, never);
        QCOMPARE(again->first().path, first->first().path);
        QCOMPARE(QFileInfo(again->first().path).lastModified(), made);
        write(source, "a\nb\nc\nd\ne\n");
        const auto other = job::prepareShards(spec, {}, 2, cache, never);
        QVERIFY(other->first().path != first->first().path);
    }

    void faultsAreNamed() {
        const QTemporaryDir place;
        wire::JobSpec spec;
        spec.data.source.path = "missing.txt";
        const auto missing = job::prepareShards(spec, place.path(), 2, place.path(), never);
        QCOMPARE(missing.error().code, core::ErrorCode::Missing);
        write(place.filePath(QStringLiteral("empty.txt")), "\n\n");
        spec.data.source.path = "empty.txt";
        QCOMPARE(job::prepareShards(spec, place.path(), 2, place.path(), never).error().code,
                 core::ErrorCode::BadInput);
        QCOMPARE(job::prepareShards(spec, place.path(), 2, place.path(), [] { return true; }).error().code,
                 core::ErrorCode::Cancelled);
    }

    void aModelIsItsFilesConfigFirst() {
        const QTemporaryDir place;
        wire::JobSpec spec;
        QVERIFY(job::prepareModel(spec, place.path(), never)->isEmpty());
        spec.model.folder = wire::Input{wire::Input::At::Desktop, "m"};
        QCOMPARE(job::prepareModel(spec, place.path(), never).error().code, core::ErrorCode::Missing);
        QDir(place.path()).mkdir(QStringLiteral("m"));
        for (const char* name : {"a.txt", "config.json", "model.safetensors"})
            write(place.filePath(QStringLiteral("m/%1").arg(QLatin1String(name))), name);
        const auto files = job::prepareModel(spec, place.path(), never);
        QCOMPARE(files->size(), 3);
        QCOMPARE(files->first().name, QStringLiteral("config.json"));
        QCOMPARE(files->first().sha256, QString::fromStdString(wire::sha256Hex("config.json")));
        spec.model.folder->at = wire::Input::At::Node;
        QVERIFY(job::prepareModel(spec, place.path(), never)->isEmpty());
    }

    void desktopPathsAreRelativeToTheJobFile() {
        QCOMPARE(job::desktopPath({wire::Input::At::Desktop, "data/x.txt"}, QStringLiteral("/jobs")),
                 QStringLiteral("/jobs/data/x.txt"));
        QCOMPARE(job::desktopPath({wire::Input::At::Desktop, "/x.txt"}, QStringLiteral("/jobs")),
                 QStringLiteral("/x.txt"));
        QCOMPARE(job::desktopPath({wire::Input::At::Desktop, "~/x.txt"}, QStringLiteral("/jobs")),
                 QDir::homePath() + QStringLiteral("/x.txt"));
    }

    void runtimesThatAreNotBuiltSayHow() {
        const QTemporaryDir place;
        const auto missing = job::readRuntimeBundle(place.path(), QStringLiteral("cu13"));
        QCOMPARE(missing.error().code, core::ErrorCode::Missing);
        QVERIFY(missing.error().fix.contains(QStringLiteral("scripts/setup --runtime cu13")));
        write(
            place.filePath(QStringLiteral("cpu.json")),
            R"({"format": "coxswain.runtime/1.0", "name": "cpu", "hash": "h", "files": [{"path": "bin/x", "size": 7, "mode": 493, "sha256": "s"}]})");
        const auto bundle = job::readRuntimeBundle(place.path(), QStringLiteral("cpu"));
        QVERIFY(bundle);
        QCOMPARE(bundle->bytes(), 7);
        QCOMPARE(bundle->files[0].mode, 0755);
        write(place.filePath(QStringLiteral("cpu.json")), "{\"format\"");
        QCOMPARE(job::readRuntimeBundle(place.path(), QStringLiteral("cpu")).error().code,
                 core::ErrorCode::Damaged);
    }
};

QTEST_GUILESS_MAIN(TestInputs)
#include "tst_inputs.moc"
