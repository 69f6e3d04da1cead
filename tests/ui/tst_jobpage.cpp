// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/samples.h"
#include "ui/jobpage/commandline.h"
#include "ui/jobpage/jobpage.h"
#include "ui/jobpage/nodepickermodel.h"
#include "ui/jobpage/presets.h"
#include "ui/theme.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace coxswain;
using namespace coxswain::ui;
using namespace coxswain::ui::samples;

namespace {

template <class T>
T* child(const QWidget& parent, const char* name) {
    auto* found = parent.findChild<T*>(QString::fromLatin1(name));
    if (!found)
        qFatal("no %s", name);
    return found;
}

void type(QLineEdit* line, const QString& text) {
    line->selectAll();
    QTest::keyClicks(line, text);
}

core::Expected<job::SyncEstimate> estimate(const wire::JobSpec&, const QString&, const QString& runtime) {
    if (runtime != "cpu")
        return core::fail({core::ErrorCode::Missing, {}, "read runtime " + runtime, "it was not built", {}});
    return job::SyncEstimate{qint64(440) << 20, qint64(4) << 20};
}

QString factText(const PlanView& view, const QString& title) {
    for (const auto& fact : view.facts)
        if (fact.title == title)
            return fact.text;
    return {};
}

} // namespace

class JobPageTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_theme = std::make_unique<Theme>(*qApp);
        m_folder = std::make_unique<QTemporaryDir>();
        QFile data(m_folder->filePath("verses.txt"));
        QVERIFY(data.open(QIODevice::WriteOnly));
        data.write("a line\n");
    }

    void presetsAreGoodModels() {
        for (const auto& preset : modelPresets()) {
            JobDocument document;
            document.setModelConfig(preset.config);
            QVERIFY2(document.errorAt("model").isEmpty(), qPrintable(preset.title));
            QVERIFY(core::estimateParameters(preset.config) > 10000);
            const int hidden = preset.config["hidden_size"];
            const int heads = preset.config["num_attention_heads"];
            const int shared = preset.config["num_key_value_heads"];
            QCOMPARE(hidden % heads, 0);
            QCOMPARE(heads % shared, 0);
        }
    }

    void errorsShowAtTheFieldAsOneTypes() {
        JobPage page(*m_theme, estimate);
        page.show();
        auto* steps = child<QLineEdit>(page, "field.train.steps");
        auto* note = child<QLabel>(page, "field.train.stepsNote");
        const QString help = note->text();
        QVERIFY(!help.isEmpty());
        type(steps, "many");
        QVERIFY2(note->text().startsWith("Expected a whole number from 1"), qPrintable(note->text()));
        QVERIFY(steps->property("wrong").toBool());
        QVERIFY(!child<QPushButton>(page, "runButton")->isEnabled());
        type(steps, "0");
        QVERIFY(steps->property("wrong").toBool());
        type(steps, "250");
        QCOMPARE(note->text(), help);
        QVERIFY(!steps->property("wrong").toBool());
        type(child<QLineEdit>(page, "field.train.learning_rate"), "3e-4");
        QCOMPARE(page.document().content()["train"]["learning_rate"].get<double>(), 3e-4);
        // A name that looks like a number is a name.
        type(child<QLineEdit>(page, "field.name"), "2024");
        QVERIFY(page.document().errorAt("name").isEmpty());
        QCOMPARE(page.document().content()["name"].get<std::string>(), std::string("2024"));
    }

    void advancedFieldsUnfoldWhenWrong() {
        JobPage page(*m_theme, estimate);
        page.show();
        auto* final = child<QLineEdit>(page, "field.train.final_learning_rate");
        QVERIFY(!final->isVisible());
        QTest::mouseClick(child<QToolButton>(page, "advancedFields"), Qt::LeftButton);
        QVERIFY(final->isVisible());
        type(final, "99");
        QVERIFY(final->property("wrong").toBool());
        QTest::mouseClick(child<QToolButton>(page, "advancedFields"), Qt::LeftButton);
        QVERIFY(!final->isVisible());
        type(child<QLineEdit>(page, "field.train.steps"), "9"); // still wrong: unfolds again
        QVERIFY(final->isVisible());
    }

    void dataHasToBeThere() {
        JobPage page(*m_theme, estimate);
        page.show();
        auto* note = child<QLabel>(page, "dataSourceNote");
        QVERIFY(note->text().startsWith("Missing"));
        auto* data = child<QLineEdit>(page, "dataSource");
        type(data, m_folder->filePath("verse"));
        QVERIFY2(note->text().contains("no such file"), qPrintable(note->text()));
        type(data, m_folder->filePath("verses.txt"));
        QVERIFY(!data->property("wrong").toBool());
        QVERIFY(page.document().spec().has_value());
    }

    void modelFolder() {
        JobPage page(*m_theme, estimate);
        page.show();
        auto* model = child<QComboBox>(page, "model");
        auto* folder = child<QLineEdit>(page, "modelFolder");
        QVERIFY(!folder->isVisible());
        model->setCurrentIndex(model->count() - 1);
        emit model->activated(model->currentIndex());
        QVERIFY(folder->isVisible());
        type(folder, m_folder->path());
        QVERIFY(page.document().content()["model"].contains("folder"));
        type(child<QLineEdit>(page, "dataSource"), m_folder->filePath("verses.txt"));
        QVERIFY(child<QLabel>(page, "modelFolderNote")->text().contains("config.json"));
        QFile config(m_folder->filePath("config.json"));
        QVERIFY(config.open(QIODevice::WriteOnly));
        type(folder, m_folder->path());
        QVERIFY(page.document().spec().has_value());
    }

    void nodePicker() {
        NodePickerModel model(*m_theme);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 1);
        QVERIFY(model.index(0).data().toString().startsWith("This machine"));
        model.setNodes({checkedNode(1, 2), uncheckedNode(2), thisMachine()});
        QCOMPARE(model.rowCount(), 3);
        QVERIFY(model.index(0).data().toString().startsWith("This machine"));
        QSignalSpy changed(&model, &NodePickerModel::chosenChanged);
        QVERIFY(model.setData(model.index(2), Qt::Checked, Qt::CheckStateRole));
        QVERIFY(model.setData(model.index(1), Qt::Checked, Qt::CheckStateRole));
        QCOMPARE(changed.count(), 2);
        QCOMPARE(model.chosen().size(), 2);
        QCOMPARE(model.chosen()[0].toString(), QString("node1")); // the list's order, not that of clicking
        model.setChosen({{{}, "other", 0}});                      // named by a job file, known to nobody
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.chosenNodes()[0].state, job::NodeStatus::State::NotChecked);
    }

    void planOfThreeNodes() {
        wire::JobSpec spec = core::samples::smallJob();
        spec.train.globalBatch = 12;
        const auto view = planView(spec, {}, {checkedNode(1), checkedNode(2), checkedNode(3)}, {}, estimate);
        QVERIFY(view.canRun);
        QVERIFY(view.problem.isEmpty());
        QCOMPARE(factText(view, "Ranks"), QString("3 on 3 nodes"));
        QCOMPARE(factText(view, "Each step"), QString("12 sequences × 128 tokens = 1,536 tokens"));
        QCOMPARE(factText(view, "Network"), QString("10.0.0.0/24"));
        QCOMPARE(factText(view, "To send"), QString("runtime 440 MiB to each node, data 4.00 MiB in all"));
        QCOMPARE(view.nodes.size(), 3);
        QCOMPARE(view.nodes[2].ranks, QString("2"));
        QCOMPARE(view.nodes[2].lanes, QString("4 of 12"));
        QCOMPARE(view.nodes[0].devices, QString("16 threads each"));
        QVERIFY2(view.nodes[0].memory.endsWith(" of 60.0 GiB"), qPrintable(view.nodes[0].memory));
    }

    void planNeedsCheckedNodes() {
        const auto spec = core::samples::smallJob();
        auto view = planView(spec, {}, {checkedNode(1), uncheckedNode(2)}, {}, estimate);
        QVERIFY(!view.canRun);
        QCOMPARE(view.toCheck.size(), 1);
        QVERIFY2(view.problem.contains("node2"), qPrintable(view.problem));
        view = planView(spec, {}, {}, {}, estimate);
        QVERIFY(!view.canRun && view.toCheck.isEmpty());
        view = planView(std::nullopt, {{"train.steps", "expected more"}, {"name", "x"}}, {checkedNode(1)}, {},
                        estimate);
        QVERIFY2(view.problem.contains("train.steps: expected more") && view.problem.contains("1 more"),
                 qPrintable(view.problem));
    }

    void planSaysWhenMemoryIsTooSmall() {
        auto node = checkedNode(1);
        node.inventory->memoryAvailable = qint64(100) << 20;
        const auto view = planView(core::samples::smallJob(), {}, {node}, {}, estimate);
        QCOMPARE(view.nodes[0].severity, core::Severity::Error);
        QVERIFY(factText(view, "Memory").contains("smaller"));
        node.inventory->memoryAvailable.reset(); // unknown is not too small
        QCOMPARE(planView(core::samples::smallJob(), {}, {node}, {}, estimate).nodes[0].severity,
                 core::Severity::Ok);
    }

    void planOnGpus() {
        wire::JobSpec spec = core::samples::smallJob();
        const auto view = planView(spec, {}, {checkedNode(1, 2), checkedNode(2, 2)}, {}, estimate);
        QCOMPARE(view.nodes[1].ranks, QString("2 to 3"));
        QCOMPARE(view.nodes[1].devices, QString("GPU 0, 1"));
        QVERIFY(view.nodes[1].memory.endsWith(" of 23.4 GiB"));
        QVERIFY(factText(view, "To send").contains("not built")); // the estimate's own words
        QVERIFY(!view.canRun);
    }

    void runIsAskedForWithTheWholeJob() {
        JobPage page(*m_theme, estimate);
        page.resize(1000, 700);
        page.show();
        page.setNodes({thisMachine(), checkedNode(1), checkedNode(2), uncheckedNode(3)});
        std::vector<std::string> nodesOfRun;
        int runs = 0;
        connect(&page, &JobPage::runRequested, this,
                [&](const wire::JobSpec& spec, const QString&, const QList<core::HostName>& hosts) {
                    ++runs;
                    nodesOfRun = spec.nodes;
                    QCOMPARE(hosts.size(), 2);
                });
        QSignalSpy checks(&page, &JobPage::checkRequested);
        auto* run = child<QPushButton>(page, "runButton");
        QVERIFY(!run->isEnabled());
        type(child<QLineEdit>(page, "dataSource"), m_folder->filePath("verses.txt"));
        QTRY_VERIFY(run->isEnabled()); // on this machine

        auto* nodes = child<QListView>(page, "nodePicker")->model();
        nodes->setData(nodes->index(0, 0), Qt::Unchecked, Qt::CheckStateRole);
        nodes->setData(nodes->index(1, 0), Qt::Checked, Qt::CheckStateRole);
        nodes->setData(nodes->index(3, 0), Qt::Checked, Qt::CheckStateRole);
        QTRY_VERIFY(!run->isEnabled());
        auto* check = child<QPushButton>(page, "planCheckButton");
        QTRY_VERIFY(check->isVisible());
        QTest::mouseClick(check, Qt::LeftButton);
        QCOMPARE(checks.count(), 1);
        QCOMPARE(checks[0][0].value<QList<core::HostName>>().size(), 1);
        page.setNodes({thisMachine(), checkedNode(1), checkedNode(2), checkedNode(3)});
        QVERIFY(run->isEnabled());
        QCOMPARE(child<QTableWidget>(page, "planNodes")->rowCount(), 2);
        page.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QTest::keyClick(&page, Qt::Key_R, Qt::ControlModifier);
        QTRY_COMPARE(runs, 1);
        QCOMPARE(nodesOfRun, std::vector<std::string>({"node1", "node3"}));
    }

    void openEditSave() {
        const QString file = m_folder->filePath("job.json");
        JobDocument document;
        document.setData("verses.txt");
        QFile written(file);
        QVERIFY(written.open(QIODevice::WriteOnly));
        auto json = document.content();
        json["nodes"] = {"gpu[01-02]"};
        json["train"]["steps"] = 77;
        written.write(QByteArray::fromStdString(json.dump()));
        written.close();

        JobPage page(*m_theme, estimate);
        page.show();
        QVERIFY(page.openFile(file));
        QCOMPARE(child<QLineEdit>(page, "field.train.steps")->text(), QString("77"));
        QCOMPARE(child<QLabel>(page, "jobTitle")->text(), QString("job.json"));
        QVERIFY(page.document().spec().has_value()); // the data is found beside the file
        QCOMPARE(page.hostsToCheck().size(), 2);
        auto* command = child<QLineEdit>(*child<QWidget>(page, "planCommand"), "copyText");
        QCOMPARE(command->text(), "coxswain-cli run " + shellQuoted(file));
        type(child<QLineEdit>(page, "field.train.steps"), "80");
        QCOMPARE(child<QLabel>(page, "jobTitle")->text(), QString("job.json (changed)"));
        QTRY_VERIFY2(command->text().contains("--set train.steps=80"), qPrintable(command->text()));

        // Saved elsewhere, relative paths still lead to the same files.
        QTemporaryDir other;
        QVERIFY(page.document().save(other.filePath("copy.json")));
        QVERIFY(page.document().spec().has_value());
        QCOMPARE(page.document().dataPath(), m_folder->filePath("verses.txt"));
        QVERIFY(!page.document().isModified());
    }

    void aBadFileSaysWhy() {
        JobPage page(*m_theme, estimate);
        page.show();
        QVERIFY(!page.openFile(m_folder->filePath("none.json")));
        const auto* notice = child<QLabel>(page, "noticeText");
        QVERIFY2(notice->isVisible() && notice->text().contains("none.json"), qPrintable(notice->text()));
        QFile file(m_folder->filePath("bad.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[1, 2");
        file.close();
        QVERIFY(!page.openFile(file.fileName()));
        QVERIFY(notice->text().contains("not a JSON object"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"format\": \"coxswain.job/1.0\", \"train\": {\"setps\": 3}, \"model\": 5}");
        file.close();
        QVERIFY(page.openFile(file.fileName())); // opens, and says what is wrong
        QTRY_VERIFY(!child<QLabel>(page, "planProblem")->text().isEmpty());
        QVERIFY(!page.document().errors().empty());
        QVERIFY(!child<QPushButton>(page, "runButton")->isEnabled());
    }

    void commands_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("command");
        QTest::newRow("as saved") << "{}"
                                  << "coxswain-cli run job.json";
        QTest::newRow("a number") << "{\"train\": {\"steps\": 5}}"
                                  << "coxswain-cli run job.json --set train.steps=5";
        QTest::newRow("a name with spaces") << "{\"name\": \"my job\"}"
                                            << "coxswain-cli run job.json --set 'name=my job'";
        QTest::newRow("a name like a number") << "{\"name\": \"12\"}"
                                              << "coxswain-cli run job.json --set 'name=\"12\"'";
        QTest::newRow("nodes") << "{\"nodes\": [\"a\", \"b\"]}"
                               << "coxswain-cli run job.json --nodes a,b";
        QTest::newRow("data") << "{\"data\": {\"source\": \"it's\"}}"
                              << "coxswain-cli run job.json --set 'data.source=it'\\''s'";
        QTest::newRow("a model") << "{\"model\": {\"config\": {\"hidden_size\": 7}}}"
                                 << "";
    }
    void commands() {
        QFETCH(QString, change);
        const nlohmann::json saved = {
            {"name", "x"}, {"model", {{"config", {{"hidden_size", 64}}}}}, {"data", {{"source", "a"}}}};
        nlohmann::json current = saved;
        current.merge_patch(nlohmann::json::parse(change.toStdString()));
        QTEST(commandFor("job.json", saved, current, {"a", "b"}), "command");
    }

private:
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(JobPageTest)
#include "tst_jobpage.moc"
