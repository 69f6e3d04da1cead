// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/samples.h"
#include "ui/nodespage/addnodesdialog.h"
#include "ui/nodespage/checkmatrixmodel.h"
#include "ui/nodespage/nodesmodel.h"
#include "ui/nodespage/nodespage.h"
#include "ui/theme.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace coxswain;
using namespace coxswain::ui;
using namespace coxswain::ui::samples;
using Tester = QAbstractItemModelTester;

namespace {

template <class T>
T* child(const QWidget& parent, const char* name) {
    return parent.findChild<T*>(QString::fromLatin1(name));
}

QStringList firstColumn(const QAbstractItemModel& model, int column) {
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
        texts.append(model.index(row, column).data().toString());
    return texts;
}

} // namespace

class NodesPageTest : public QObject {
    Q_OBJECT
private slots:
    void init() { m_theme = std::make_unique<Theme>(*qApp); }

    void nodesModel() {
        NodesModel model(*m_theme);
        Tester tester(&model, Tester::FailureReportingMode::QtTest);
        model.setNodes({checkedNode(1, 4), unreachedNode(2), uncheckedNode(3)});
        QCOMPARE(firstColumn(model, NodesModel::Name), QStringList({"node1", "node2", "node3"}));
        QCOMPARE(firstColumn(model, NodesModel::State), QStringList({"Ready", "Not reached", "Not checked"}));
        QCOMPARE(firstColumn(model, NodesModel::Gpus), QStringList({"4 × RTX 4090", "–", "–"}));
        QCOMPARE(firstColumn(model, NodesModel::GpuMemory), QStringList({"93.8 GiB of 96.0 GiB", "–", "–"}));
        QCOMPARE(model.index(1, NodesModel::Problems).data().toString(), QString("connection refused"));

        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        auto node = checkedNode(2);
        node.inventory->nvidia.gpus.clear();
        model.setNodes({checkedNode(1, 4), node, uncheckedNode(3)});
        QCOMPARE(reset.count(), 0);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(model.index(1, NodesModel::State).data().toString(), QString("Ready"));
        model.setNodes({uncheckedNode(3)});
        QCOMPARE(model.rowCount(), 1);
        model.setNodes({});
        QCOMPARE(model.rowCount(), 0);
    }

    void anUnknownGpuMemoryIsNotZero() {
        NodesModel model(*m_theme);
        auto node = checkedNode(1, 2);
        node.inventory->nvidia.gpus[1].memoryFreeMib.reset();
        model.setNodes({node});
        QCOMPARE(model.index(0, NodesModel::GpuMemory).data().toString(), QString("–"));
        QVERIFY(!model.index(0, NodesModel::GpuMemory).data(NodesModel::sortRole).isValid());
    }

    void matrix() {
        CheckMatrixModel model(*m_theme);
        Tester tester(&model, Tester::FailureReportingMode::QtTest);
        DifferencesFilter filter(model);
        Tester filterTester(&filter, Tester::FailureReportingMode::QtTest);
        const QList<job::NodeStatus> nodes = {checkedNode(1), checkedNode(2), unreachedNode(3),
                                              uncheckedNode(4)};
        const core::CheckResult subnet{"subnet", {}, core::Severity::Ok, "10.0.0.0/24", "a network", {}};
        const core::CheckResult head{"head_ssh", "node1", core::Severity::Ok, "OpenSSH", "a client", {}};
        model.setNodes(nodes, {subnet, head});
        QCOMPARE(model.columnCount(), 4);
        QCOMPARE(model.headerData(3, Qt::Horizontal).toString(), QString("Together"));
        QCOMPARE(model.headerData(0, Qt::Vertical).toString(), QString("Reachable"));
        QCOMPARE(model.result(model.index(0, 2))->severity, core::Severity::Error);
        const int rows = model.rowCount();
        QCOMPARE(model.result(model.index(rows - 2, 3))->observed, QString("10.0.0.0/24"));
        QVERIFY(!model.result(model.index(rows - 2, 0)));
        QCOMPARE(model.result(model.index(rows - 1, 0))->id, QString("head_ssh"));
        QVERIFY(!model.index(0, 2).data(Qt::AccessibleTextRole).toString().isEmpty());

        // Two healthy nodes differ in nothing but the address they were reached at.
        model.setNodes({checkedNode(1), checkedNode(2)}, {subnet});
        filter.setActive(true);
        QCOMPARE(filter.rowCount(), 0);
        auto other = checkedNode(2);
        other.inventory->kernel = "5.10.0-1-amd64";
        other.checks = core::checkNode("node2", *other.inventory, {});
        model.setNodes({checkedNode(1), other}, {subnet});
        QCOMPARE(filter.rowCount(), 1);
        QCOMPARE(filter.headerData(0, Qt::Vertical).toString(), QString("Kernel"));
        filter.setActive(false);
        QCOMPARE(filter.rowCount(), model.rowCount());
    }

    void addDialogSaysWhatIsWrong() {
        AddNodesDialog dialog;
        auto* text = child<QPlainTextEdit>(dialog, "addNodesText");
        auto* preview = child<QLabel>(dialog, "addNodesPreview");
        auto* add = child<QPushButton>(dialog, "addNodesOk");
        QVERIFY(!add->isEnabled());
        text->setPlainText("gpu[01-03], me@box:2222");
        QVERIFY(add->isEnabled());
        QCOMPARE(preview->text(), QString("4 nodes: gpu01, gpu02, gpu03, me@box:2222"));
        text->setPlainText("gpu[01-");
        QVERIFY(!add->isEnabled());
        QVERIFY2(preview->text().contains("gpu[01-"), qPrintable(preview->text()));
        QCOMPARE(preview->property("role").toString(), QString("error"));
        text->setPlainText("  ");
        QVERIFY(!add->isEnabled());
    }

    void pageAsksBySignals() {
        NodesPage page(*m_theme);
        page.show();
        QSignalSpy added(&page, &NodesPage::addRequested);
        QSignalSpy check(&page, &NodesPage::checkRequested);
        QSignalSpy removed(&page, &NodesPage::removeRequested);
        QSignalSpy cleaned(&page, &NodesPage::cleanRequested);

        // An empty page says what to do next.
        QTest::mouseClick(child<QPushButton>(page, "emptyAction"), Qt::LeftButton);
        auto* dialog = child<QDialog>(page, "addNodesDialog");
        QVERIFY(dialog);
        child<QPlainTextEdit>(*dialog, "addNodesText")->setPlainText("node[1-2]");
        QTest::mouseClick(child<QPushButton>(*dialog, "addNodesOk"), Qt::LeftButton);
        QCOMPARE(added.count(), 1);
        QCOMPARE(added[0][0].toString(), QString("node[1-2]"));

        page.setNodes({checkedNode(1), checkedNode(2), unreachedNode(3)});
        QVERIFY(!child<QPushButton>(page, "removeNodesButton")->isEnabled());
        QTest::mouseClick(child<QPushButton>(page, "checkNodesButton"), Qt::LeftButton);
        QCOMPARE(check.takeFirst()[0].value<QList<core::HostName>>().size(), 3);

        auto* table = child<QTableView>(page, "nodesTable");
        table->selectRow(1);
        QTest::mouseClick(child<QPushButton>(page, "checkNodesButton"), Qt::LeftButton);
        const auto hosts = check.takeFirst()[0].value<QList<core::HostName>>();
        QCOMPARE(hosts.size(), 1);
        QCOMPARE(hosts[0].toString(), QString("node2"));
        page.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Delete);
        QCOMPARE(removed.count(), 1);

        QTest::mouseClick(child<QPushButton>(page, "cleanNodesButton"), Qt::LeftButton);
        auto* box = child<QMessageBox>(page, "cleanDialog");
        QVERIFY(box);
        QCOMPARE(cleaned.count(), 0);
        QTest::mouseClick(child<QPushButton>(*box, "cleanOk"), Qt::LeftButton);
        QCOMPARE(cleaned.count(), 1);
    }

    void selectionSurvivesNews() {
        NodesPage page(*m_theme);
        page.setNodes({checkedNode(1), checkedNode(2)});
        auto* table = child<QTableView>(page, "nodesTable");
        table->selectRow(1);
        page.setNodes({checkedNode(1), checkedNode(2), uncheckedNode(3)});
        QCOMPARE(page.shownHosts().size(), 1);
        QCOMPARE(page.shownHosts()[0].toString(), QString("node2"));
    }

    void detailsHaveTheFixToCopy() {
        NodesPage page(*m_theme);
        page.resize(1000, 600);
        page.show();
        page.setNodes({checkedNode(1), unreachedNode(2)});
        auto* matrix = child<QTableView>(page, "checkMatrix");
        matrix->setCurrentIndex(matrix->model()->index(0, 1));
        auto* details = child<QWidget>(page, "checkDetails");
        QVERIFY(child<QLabel>(*details, "detailsObserved")->text().contains("connection refused"));
        QVERIFY(!child<QLabel>(*details, "detailsWhy")->text().isEmpty());
        auto* command = child<QWidget>(*details, "detailsCommand");
        QVERIFY(command->isVisible());
        QTest::mouseClick(child<QPushButton>(*command, "copyButton"), Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("ssh node2 true"));
        matrix->setCurrentIndex(matrix->model()->index(0, 0));
        QVERIFY(!command->isVisible());
    }

    void themeSwitch() {
        NodesPage page(*m_theme);
        page.show();
        m_theme->setMode(ThemeMode::Light);
        const QColor light = page.palette().color(QPalette::Base);
        m_theme->setMode(ThemeMode::Dark);
        const QColor dark = page.palette().color(QPalette::Base);
        QVERIFY(light.lightness() > 200);
        QVERIFY(dark.lightness() < 60);
        QVERIFY(page.palette().color(QPalette::Text).lightness() > 200);
    }

private:
    std::unique_ptr<Theme> m_theme;
};

QTEST_MAIN(NodesPageTest)
#include "tst_nodespage.moc"
