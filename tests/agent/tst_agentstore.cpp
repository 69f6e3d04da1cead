// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentdriver.h"
#include "trainer/wire/sha256.h"

#include <QDirIterator>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

using namespace coxswain;
using namespace coxswain::test;
using agent::FrameKind;

namespace {

std::string digestOf(const std::string& content) {
    return wire::sha256Hex(content);
}

json tree(std::initializer_list<std::tuple<const char*, std::string, int>> files) {
    json list = json::array();
    for (const auto& [path, content, mode] : files)
        list.push_back({{"path", path}, {"digest", digestOf(content)}, {"mode", mode}});
    return list;
}

/// Every file below a folder, as "path", sorted; folders left out.
QStringList filesBelow(const QString& folder) {
    QStringList names;
    QDirIterator walk(folder, QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
    while (walk.hasNext())
        names.append(walk.next().mid(folder.size() + 1));
    names.sort();
    return names;
}

} // namespace

class AgentStoreTest : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> m_folder;
    std::optional<AgentDriver> m_driver;

    QString base() const { return m_folder->path() + "/base"; }
    QString inBase(const QString& path) const { return base() + '/' + path; }
    void put(const std::string& content) {
        const auto reply =
            m_driver->ask("put", {{"digest", digestOf(content)}, {"size", content.size()}}, content);
        QVERIFY2(reply.isAnswer(), reply.body.dump().c_str());
    }

private slots:
    void init() {
        ::umask(0); // the agent's own must hold
        m_folder.emplace();
        QDir().mkpath(base());
        m_driver.emplace(base());
    }
    void cleanup() {
        m_driver.reset();
        m_folder.reset();
    }

    void putsByContent() {
        const std::string small = "hello", empty, large(5'000'000, 'z');
        const json all = {digestOf(small), digestOf(empty), digestOf(large)};
        QCOMPARE(m_driver->ask("missing", {{"digests", all}}).body["missing"], all);
        put(small);
        put(empty);
        put(large);
        QCOMPARE(m_driver->ask("missing", {{"digests", all}}).body["missing"], json::array());
        for (const auto& content : {small, empty, large}) {
            const QString path = inBase(QString::fromStdString("store/" + digestOf(content)));
            QCOMPARE(readFile(path).toStdString(), content);
            QCOMPARE(modeOf(path) & 077, 0); // nobody else may read it
        }
        QCOMPARE(modeOf(inBase("store")), 0700);
        put(small); // once more does no harm
        QCOMPARE(filesBelow(inBase("store")).size(), 3);
    }

    void refusesWrongContent_data() {
        QTest::addColumn<QByteArray>("sent");
        QTest::addColumn<int>("size");
        QTest::newRow("other content") << QByteArray("world") << 5;
        QTest::newRow("too little") << QByteArray("hell") << 5;
        QTest::newRow("nothing") << QByteArray() << 5;
        QTest::newRow("too much") << QByteArray("hellohello") << 5;
        QTest::newRow("right content, wrong size") << QByteArray("hello") << 6;
    }
    void refusesWrongContent() {
        QFETCH(QByteArray, sent);
        QFETCH(int, size);
        const auto reply =
            m_driver->ask("put", {{"digest", digestOf("hello")}, {"size", size}}, sent.toStdString());
        QCOMPARE(reply.code(), "damaged");
        QCOMPARE(filesBelow(base()), QStringList{});
        put("hello");
    }

    void refusesDigestsThatArePaths() {
        for (const auto& digest : {std::string("../../x"), std::string(64, '/'), std::string(64, 'G'),
                                   std::string(63, 'a'), std::string()}) {
            const auto reply = m_driver->ask("put", {{"digest", digest}, {"size", 1}}, "x");
            QCOMPARE(reply.code(), "bad_input");
        }
        QCOMPARE(filesBelow(m_folder->path()), QStringList{});
    }

    void saysWhatDoesNotFit() {
        const auto reply = m_driver->ask("put", {{"digest", digestOf("x")}, {"size", 1ull << 60}}, "x");
        QCOMPARE(reply.code(), "no_space");
        QVERIFY(reply.body["needed"].get<std::uint64_t>() >= 1ull << 60);
        QVERIFY(reply.body["free"].get<std::uint64_t>() < 1ull << 60);
        QCOMPARE(m_driver->ask("space", {{"bytes", 1ull << 60}}).code(), "no_space");
        QVERIFY(m_driver->ask("space", {{"bytes", 1}}).isAnswer());
        QCOMPARE(filesBelow(base()), QStringList{});
        // A sum that would wrap around must not count as small.
        QCOMPARE(m_driver->ask("space", {{"bytes", ~0ull}}).code(), "no_space");
    }

    void cutPutLeavesNothingUsable() {
        const std::string content(3'000'000, 'c');
        json request = {{"request", "put"}, {"digest", digestOf(content)}, {"size", content.size()}};
        m_driver->send(FrameKind::Request, request.dump());
        m_driver->send(FrameKind::Data, content.substr(0, agent::maxDataBytes));
        m_driver->closeChannel();
        QCOMPARE(m_driver->waitForEnd(), 1);
        QCOMPARE(filesBelow(base()), QStringList{});

        m_driver.emplace(base());
        QCOMPARE(m_driver->ask("missing", {{"digests", {digestOf(content)}}}).body["missing"].size(), 1u);
    }

    void killedPutLeavesNothingUsable() {
        const std::string content(3'000'000, 'c');
        json request = {{"request", "put"}, {"digest", digestOf(content)}, {"size", content.size()}};
        m_driver->send(FrameKind::Request, request.dump());
        m_driver->send(FrameKind::Data, content.substr(0, agent::maxDataBytes));
        QTRY_VERIFY(!filesBelow(base()).isEmpty());
        ::kill(m_driver->pid(), SIGKILL);
        QCOMPARE(m_driver->waitForEnd(), 128 + SIGKILL);
        QVERIFY(!QFile::exists(inBase(QString::fromStdString("store/" + digestOf(content)))));
        QCOMPARE(filesBelow(base()).size(), 1); // the partial file

        m_driver.emplace(base());
        QCOMPARE(m_driver->ask("missing", {{"digests", {digestOf(content)}}}).body["missing"].size(), 1u);
        put(content);
        QCOMPARE(readFile(inBase(QString::fromStdString("store/" + digestOf(content)))).toStdString(),
                 content);
    }

    void oldPartialFilesAreRemoved() {
        const QString old = inBase("store/" + QString(64, u'a') + ".partial-1");
        const QString young = inBase("store/" + QString(64, u'b') + ".partial-2");
        writeFile(old, "x");
        writeFile(young, "x"); // perhaps another desktop's, under way
        const timespec times[2] = {{::time(nullptr) - 2 * 86400, 0}, {::time(nullptr) - 2 * 86400, 0}};
        QCOMPARE(::utimensat(AT_FDCWD, qPrintable(old), times, 0), 0);
        QVERIFY(m_driver->ask("missing", {{"digests", json::array()}}).isAnswer());
        QVERIFY(!QFile::exists(old));
        QVERIFY(QFile::exists(young));
    }

    void takesLocalFiles() {
        const QString source = m_folder->path() + "/source";
        writeFile(source, "local content", 0640);
        const json request = {
            {"digest", digestOf("local content")}, {"size", 13}, {"file", source.toStdString()}};
        QVERIFY(m_driver->ask("put", request).isAnswer());
        QCOMPARE(readFile(inBase(QString::fromStdString("store/" + digestOf("local content")))),
                 "local content");
        // The person's own file stays as it is, whatever modes trees want.
        QVERIFY(m_driver->ask("install", {{"root", "t"}, {"files", tree({{"a", "local content", 0755}})}})
                    .isAnswer());
        QCOMPARE(modeOf(inBase("t/a")), 0755);
        QCOMPARE(modeOf(source), 0640);

        writeFile(source + "2", "other");
        const auto changed = m_driver->ask(
            "put", {{"digest", digestOf("expected")}, {"size", 8}, {"file", source.toStdString() + "2"}});
        QCOMPARE(changed.code(), "damaged");
        const auto absent = m_driver->ask(
            "put", {{"digest", digestOf("expected")}, {"size", 8}, {"file", source.toStdString() + "3"}});
        QCOMPARE(absent.code(), "missing");
        QCOMPARE(filesBelow(inBase("store")).size(), 1);
    }

    void takesLocalFilesThroughLinks() {
        const QString source = m_folder->path() + "/source";
        writeFile(source, "linked content");
        QVERIFY(QFile::link("source", m_folder->path() + "/link")); // as libfoo.so -> libfoo.so.1
        QVERIFY(m_driver
                    ->ask("put", {{"digest", digestOf("linked content")},
                                  {"size", 14},
                                  {"file", m_folder->path().toStdString() + "/link"}})
                    .isAnswer());
        const QFileInfo stored(inBase(QString::fromStdString("store/" + digestOf("linked content"))));
        QVERIFY2(!stored.isSymLink(), "the store keeps a link to something else, not the content");
        QCOMPARE(readFile(stored.filePath()), "linked content");
    }

    void installsTrees() {
        put("program");
        put("data");
        const json files =
            tree({{"bin/run", "program", 0700}, {"share/a/b", "data", 0600}, {"copy", "data", 0600}});
        const auto first = m_driver->ask("install", {{"root", "runtime/r1"}, {"files", files}});
        QVERIFY2(first.isAnswer(), first.body.dump().c_str());
        QCOMPARE(first.body["made"], json(true));
        QCOMPARE(readFile(inBase("runtime/r1/bin/run")), "program");
        QCOMPARE(readFile(inBase("runtime/r1/share/a/b")), "data");
        QCOMPARE(modeOf(inBase("runtime/r1/bin/run")), 0700);
        QCOMPARE(modeOf(inBase("runtime/r1/copy")), 0600);
        QCOMPARE(modeOf(inBase("runtime/r1/share")), 0700);
        const auto again = m_driver->ask("install", {{"root", "runtime/r1"}, {"files", files}});
        QCOMPARE(again.body["made"], json(false));
        // Another tree takes the place of the first as a whole.
        const auto other =
            m_driver->ask("install", {{"root", "runtime/r1"}, {"files", tree({{"x", "data", 0600}})}});
        QCOMPARE(other.body["made"], json(true));
        QVERIFY(!QFile::exists(inBase("runtime/r1/bin")));
        QCOMPARE(readFile(inBase("runtime/r1/x")), "data");
        QCOMPARE(QDir(inBase("runtime")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{"r1"});
    }

    void oneContentInTwoModes() {
        put("same");
        const json files = tree({{"a", "same", 0700}, {"b", "same", 0600}, {"c", "same", 0700}});
        QVERIFY(m_driver->ask("install", {{"root", "t"}, {"files", files}}).isAnswer());
        QCOMPARE(modeOf(inBase("t/a")), 0700);
        QCOMPARE(modeOf(inBase("t/b")), 0600);
        QCOMPARE(modeOf(inBase("t/c")), 0700);
        // A second tree must not change the first.
        QVERIFY(m_driver->ask("install", {{"root", "u"}, {"files", tree({{"a", "same", 0400}})}}).isAnswer());
        QCOMPARE(modeOf(inBase("u/a")), 0400);
        QCOMPARE(modeOf(inBase("t/a")), 0700);
    }

    void installIsAllOrNothing() {
        put("there");
        const json files = tree({{"a", "there", 0600}, {"b", "never sent", 0600}});
        const auto reply = m_driver->ask("install", {{"root", "runtime/r2"}, {"files", files}});
        QCOMPARE(reply.code(), "missing");
        QCOMPARE(QDir(inBase("runtime")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{});
    }

    void halfATreeIsNoTree() {
        put("there");
        writeFile(inBase("runtime/r3/a"), "left over");
        const auto reply =
            m_driver->ask("install", {{"root", "runtime/r3"}, {"files", tree({{"b", "there", 0600}})}});
        QCOMPARE(reply.body["made"], json(true));
        QVERIFY(!QFile::exists(inBase("runtime/r3/a")));
    }

    void writesSmallFiles() {
        QVERIFY(m_driver->ask("write", {{"path", "jobs/j1/job.json"}, {"mode", 0640}}, "{}").isAnswer());
        QCOMPARE(readFile(inBase("jobs/j1/job.json")), "{}");
        QCOMPARE(modeOf(inBase("jobs/j1/job.json")), 0640);
        QCOMPARE(modeOf(inBase("jobs/j1")), 0700);
        QVERIFY(m_driver->ask("write", {{"path", "jobs/j1/job.json"}, {"mode", 0600}}, "").isAnswer());
        QCOMPARE(readFile(inBase("jobs/j1/job.json")), "");
        QCOMPARE(filesBelow(base()), QStringList{"jobs/j1/job.json"});
        QVERIFY(m_driver->ask("write", {{"path", "top"}, {"mode", 0600}}, "x").isAnswer());
        QCOMPARE(readFile(inBase("top")), "x");
    }

    void tooLongForASmallFile() {
        const std::string long17(17 << 20, 'x');
        const auto reply = m_driver->ask("write", {{"path", "big"}, {"mode", 0600}}, long17);
        QVERIFY2(!reply.isAnswer(), "it was cut silently");
        QVERIFY(!QFile::exists(inBase("big")));
    }

    void neverLeavesTheBase_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::newRow("up") << QByteArray("../out");
        QTest::newRow("up from below") << QByteArray("a/../../out");
        QTest::newRow("up within") << QByteArray("a/../b");
        QTest::newRow("absolute") << QByteArray("/tmp/coxswain-out");
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("dot") << QByteArray(".");
        QTest::newRow("empty part") << QByteArray("a//b");
        QTest::newRow("ends in a slash") << QByteArray("a/");
        QTest::newRow("zero") << QByteArray("a\0b", 3);
        QTest::newRow("through a link") << QByteArray("link/x");
        QTest::newRow("deeper through a link") << QByteArray("link/new/x");
        QTest::newRow("below a file") << QByteArray("file/x");
        QTest::newRow("very long") << QByteArray(5000, 'a');
        QTest::newRow("long name") << QByteArray(300, 'a');
    }
    void neverLeavesTheBase() {
        QFETCH(QByteArray, path);
        QDir().mkpath(m_folder->path() + "/outside");
        writeFile(m_folder->path() + "/outside/x", "mine");
        QVERIFY(QFile::link(m_folder->path() + "/outside", inBase("link")));
        writeFile(inBase("file"), "a file");
        put("content");
        const std::string name = path.toStdString();
        const QStringList before = filesBelow(m_folder->path());

        QVERIFY(!m_driver->ask("write", {{"path", name}, {"mode", 0600}}, "x").isAnswer());
        QVERIFY(!m_driver->ask("install", {{"root", name}, {"files", tree({{"f", "content", 0600}})}})
                     .isAnswer());
        const json inside = json::array({{{"path", name}, {"digest", digestOf("content")}, {"mode", 0600}}});
        if (!path.startsWith("link") && !path.startsWith("file")) { // those are fine in a new tree
            QVERIFY(!m_driver->ask("install", {{"root", "t"}, {"files", inside}}).isAnswer());
        }
        const json file = {{"path", name}, {"offset", 0}, {"max", 100}};
        const json read = {{"wait_ms", 0}, {"files", json::array({file})}};
        const auto seen = m_driver->ask("read", read);
        QVERIFY2(!seen.isAnswer() || seen.data.empty(), "it read a file outside of the base");

        QCOMPARE(filesBelow(m_folder->path()), before);
        QCOMPARE(readFile(m_folder->path() + "/outside/x"), "mine");
    }

    void aLinkInAFilesPlaceIsReplaced() {
        writeFile(m_folder->path() + "/outside", "mine");
        QVERIFY(QFile::link(m_folder->path() + "/outside", inBase("name")));
        QVERIFY(m_driver->ask("write", {{"path", "name"}, {"mode", 0600}}, "new").isAnswer());
        QCOMPARE(readFile(m_folder->path() + "/outside"), "mine");
        QVERIFY(!QFileInfo(inBase("name")).isSymLink());
    }
};

QTEST_APPLESS_MAIN(AgentStoreTest)
#include "tst_agentstore.moc"
