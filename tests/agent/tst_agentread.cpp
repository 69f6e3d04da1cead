// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentdriver.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <optional>
#include <thread>

using namespace coxswain::test;
using namespace std::chrono_literals;

namespace {

void append(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::Append) && file.write(bytes) == bytes.size());
}

std::string joined(const std::vector<std::string>& parts) {
    std::string all;
    for (const auto& part : parts)
        all += part;
    return all;
}

} // namespace

class AgentReadTest : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> m_folder;
    std::optional<AgentDriver> m_driver;

    QString path(const char* name) const { return m_folder->path() + '/' + name; }
    AgentDriver::Reply read(const std::vector<json>& files, int wait = 0) {
        return m_driver->ask("read", {{"files", files}, {"wait_ms", wait}});
    }
    static json file(const char* path, std::uint64_t offset, std::uint64_t max = 1 << 20) {
        return {{"path", path}, {"offset", offset}, {"max", max}};
    }

private slots:
    void init() {
        m_folder.emplace();
        m_driver.emplace(m_folder->path());
    }

    void givesWhatIsNew_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<int>("offset");
        QTest::addColumn<int>("max");
        QTest::addColumn<QByteArray>("given");
        const auto row = [](const char* title, const char* name, const char* content, int offset, int max,
                            const char* given) {
            QTest::newRow(title) << QByteArray(name) << QByteArray(content) << offset << max
                                 << QByteArray(given);
        };
        row("whole lines", "r.jsonl", "one\ntwo\nthr", 0, 100, "one\ntwo\n");
        row("from an offset", "r.jsonl", "one\ntwo\nthr", 4, 100, "two\n");
        row("only a partial line", "r.jsonl", "one\ntwo\nthr", 8, 100, "");
        row("nothing new", "r.jsonl", "one\n", 4, 100, "");
        row("as much as fits, whole lines", "r.jsonl", "one\ntwo\n", 0, 6, "one\n");
        row("exactly a line", "r.jsonl", "one\ntwo\n", 0, 4, "one\n");
        row("a line that is too long", "r.log", "a long line\n", 0, 4, "a lo");
        row("its end", "r.log", "a long line\n", 4, 100, "ng line\n");
        row("other files as they are", "model.bin", "one\nthr", 0, 100, "one\nthr");
        row("beyond the end", "r.jsonl", "one\n", 400, 100, "");
        row("empty", "r.jsonl", "", 0, 100, "");
    }
    void givesWhatIsNew() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, content);
        QFETCH(int, offset);
        QFETCH(int, max);
        QFETCH(QByteArray, given);
        writeFile(path(name.constData()), content);
        const auto reply = read({file(name.constData(), std::uint64_t(offset), std::uint64_t(max))});
        QVERIFY2(reply.isAnswer(), reply.body.dump().c_str());
        QCOMPARE(QByteArray::fromStdString(joined(reply.data)), given);
        const json& about = reply.body["files"][0];
        QCOMPARE(about["bytes"].get<int>(), int(given.size()));
        QCOMPARE(about["size"].get<int>(), int(content.size()));
        QCOMPARE(about["absent"], json(false));
    }

    void severalFiles() {
        writeFile(path("a.jsonl"), "a1\na2\n");
        writeFile(path("jobs/x/b.log"), "b1\n");
        const auto reply = read({file("a.jsonl", 3), file("gone.jsonl", 0), file("jobs/x/b.log", 0)});
        QCOMPARE(joined(reply.data), "a2\nb1\n");
        QCOMPARE(reply.body["files"][0]["bytes"].get<int>(), 3);
        QCOMPARE(reply.body["files"][1]["absent"], json(true));
        QCOMPARE(reply.body["files"][2]["bytes"].get<int>(), 3);
    }

    void largeFilesInPieces() {
        QByteArray content;
        while (content.size() < 5'000'000)
            content += "line " + QByteArray::number(content.size()) + '\n';
        writeFile(path("big.log"), content);
        std::string got;
        for (int round = 0; round < 100 && got.size() < std::size_t(content.size()); ++round)
            got += joined(read({file("big.log", got.size(), 700'000)}).data);
        QVERIFY(got == content.toStdString());
    }

    void waitsForNews() {
        writeFile(path("r.jsonl"), "old\n");
        std::thread writer([&] {
            std::this_thread::sleep_for(150ms);
            append(path("r.jsonl"), "ne");
            std::this_thread::sleep_for(150ms);
            append(path("r.jsonl"), "w\n");
        });
        QElapsedTimer timer;
        timer.start();
        const auto reply = read({file("r.jsonl", 4)}, 5000);
        const qint64 took = timer.elapsed();
        writer.join();
        QCOMPARE(joined(reply.data), "new\n"); // not at half a line
        QVERIFY2(took >= 290 && took < 600, qPrintable(QString::number(took)));
    }

    void waitsForAFileToAppear() {
        std::thread writer([&] {
            std::this_thread::sleep_for(100ms);
            writeFile(path("new.jsonl"), "first\n");
        });
        const auto reply = read({file("new.jsonl", 0)}, 5000);
        writer.join();
        QCOMPARE(joined(reply.data), "first\n");
    }

    void waitEnds() {
        QElapsedTimer timer;
        timer.start();
        const auto reply = read({file("never.jsonl", 0)}, 200);
        QVERIFY(reply.isAnswer());
        QVERIFY(timer.elapsed() >= 200 && timer.elapsed() < 1000);
    }

    void endsWhenTheDesktopGoesAway() {
        m_driver->send(
            coxswain::agent::FrameKind::Request,
            json{{"request", "read"}, {"wait_ms", 60000}, {"files", json::array({file("never.jsonl", 0)})}}
                .dump());
        QTest::qWait(50);
        m_driver->closeChannel();
        QVERIFY2(m_driver->waitForEnd() >= 0, "it waits on for a desktop that has gone");
    }

    void onlyFiles() {
        QDir().mkpath(path("folder"));
        QCOMPARE(::mkfifo(qPrintable(path("pipe.log")), 0600), 0);
        for (const char* name : {"folder", "pipe.log"}) {
            const auto reply = read({file(name, 0)});
            QVERIFY(reply.data.empty());
            QCOMPARE(reply.body["files"][0]["absent"], json(true));
        }
    }
};

QTEST_GUILESS_MAIN(AgentReadTest)
#include "tst_agentread.moc"
