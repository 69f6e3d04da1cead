// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobpage/jobpage.h"

#include "cluster/core/hostlist.h"
#include "ui/jobpage/commandline.h"
#include "ui/jobpage/fieldrow.h"
#include "ui/jobpage/fieldsform.h"
#include "ui/jobpage/inputsection.h"
#include "ui/jobpage/nodepickermodel.h"
#include "ui/jobpage/planpanel.h"
#include "ui/widgets/noticebar.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

namespace coxswain::ui {
namespace {

constexpr int replanMilliseconds = 120;

QPushButton* button(const QString& name, const QString& text, const QString& toolTip,
                    const QKeySequence& shortcut) {
    auto* made = new QPushButton(text);
    made->setObjectName(name);
    made->setShortcut(shortcut);
    made->setToolTip(QStringLiteral("%1 (%2)").arg(toolTip, shortcut.toString(QKeySequence::NativeText)));
    return made;
}

} // namespace

JobPage::JobPage(const Theme& theme, Estimate estimate, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_estimate(std::move(estimate)),
      m_picker(new NodePickerModel(theme, this)), m_notices(new NoticeBar(theme)),
      m_plan(new PlanPanel(theme)) {
    setObjectName(QStringLiteral("jobPage"));
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(makeForm());
    split->addWidget(m_plan);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    split->setSizes({1000, 1000}); // halves
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 12, 16, 12);
    column->addWidget(makeToolBar());
    column->addWidget(m_notices);
    column->addWidget(split, 1);

    m_replan.setSingleShot(true);
    m_replan.setInterval(replanMilliseconds);
    connect(&m_replan, &QTimer::timeout, this, &JobPage::refreshPlan);
    connect(&m_document, &JobDocument::replaced, this, &JobPage::readNodes);
    connect(&m_document, &JobDocument::changed, this, [this] {
        // Never let a job start that is wrong by now.
        if (!m_document.spec())
            m_run->setEnabled(false);
        m_nodesRow->setError(m_document.errorAt("nodes"));
        refreshTitle();
        m_replan.start();
    });
    connect(m_picker, &NodePickerModel::chosenChanged, this, &JobPage::writeNodes);
    connect(m_plan, &PlanPanel::checkRequested, this, [this] {
        emit checkRequested(m_view.toCheck, m_document.spec()
                                                ? QString::fromStdString(m_document.spec()->runtime)
                                                : QStringLiteral("auto"));
    });
    readNodes();
    refreshTitle();
    refreshPlan();
}

QWidget* JobPage::makeToolBar() {
    auto* bar = new QWidget;
    m_title = new QLabel;
    m_title->setObjectName(QStringLiteral("jobTitle"));
    m_title->setProperty("role", QStringLiteral("title"));
    auto* open =
        button(QStringLiteral("openJobButton"), tr("&Open job …"), tr("Open a job file"), QKeySequence::Open);
    auto* save = button(QStringLiteral("saveJobButton"), tr("&Save job …"), tr("Save this job as a file"),
                        QKeySequence::Save);
    m_run = button(QStringLiteral("runButton"), tr("&Run"), tr("Start the job on the chosen nodes"),
                   QKeySequence(tr("Ctrl+R")));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_title, 1);
    for (QPushButton* one : {open, save, m_run})
        row->addWidget(one);
    connect(open, &QPushButton::clicked, this, &JobPage::askOpen);
    connect(save, &QPushButton::clicked, this, &JobPage::askSave);
    connect(m_run, &QPushButton::clicked, this, &JobPage::run);
    return bar;
}

QWidget* JobPage::makeForm() {
    auto* nodes = new QListView;
    nodes->setModel(m_picker);
    nodes->setMinimumHeight(84);
    nodes->setTextElideMode(Qt::ElideRight);
    nodes->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    nodes->setMaximumHeight(150);
    m_nodesRow = new FieldRow(QStringLiteral("nodePicker"), tr("&Nodes"), nodes, {},
                              tr("The first one starts the others; add more on the Nodes page"));
    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(0, 0, 10, 0);
    column->setSpacing(8);
    column->addWidget(new InputSection(m_document));
    column->addWidget(m_nodesRow);
    column->addWidget(new FieldsForm(m_document));
    column->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setObjectName(QStringLiteral("jobForm"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(form);
    scroll->setMinimumWidth(360);
    return scroll;
}

void JobPage::setNodes(const QList<job::NodeStatus>& nodes) {
    m_picker->setNodes(nodes);
    refreshPlan();
}

bool JobPage::openFile(const QString& file, const QStringList& settings) {
    m_notices->clear();
    auto opened = m_document.open(file);
    if (opened && !settings.isEmpty())
        opened = m_document.apply(settings);
    if (!opened) {
        m_notices->show(core::Severity::Error, opened.error().text());
        return false;
    }
    refreshPlan();
    return true;
}

void JobPage::setSpec(const wire::JobSpec& spec, const QString& folder) {
    m_notices->clear();
    m_document.setSpec(spec, folder);
    refreshPlan();
}

void JobPage::run() {
    refreshPlan();
    if (m_view.canRun)
        emit runRequested(*m_document.spec(), m_document.folder(), m_picker->chosen());
}

/// A job without nodes runs on this machine.
void JobPage::readNodes() {
    const QStringList names = m_document.nodes();
    const auto hosts =
        core::parseHostList(names.isEmpty() ? QStringLiteral("local") : names.join(QLatin1Char(',')));
    m_picker->setChosen(hosts ? *hosts : QList<core::HostName>());
    if (!hosts)
        m_notices->show(core::Severity::Error, hosts.error().text());
}

void JobPage::writeNodes() {
    QStringList names;
    for (const auto& host : m_picker->chosen())
        names.append(host.toString());
    m_document.setNodes(names == QStringList{QStringLiteral("local")} ? QStringList() : names);
}

void JobPage::refreshPlan() {
    m_replan.stop();
    const auto nodes = m_picker->chosenNodes();
    m_view = planView(m_document.spec(), m_document.errors(), nodes, m_document.folder(), m_estimate);
    bool checking = false;
    QStringList names;
    for (const auto& node : nodes) {
        names.append(node.host.toString());
        checking = checking || (!node.inventory && node.state == job::NodeStatus::State::Checking);
    }
    const QString command = m_document.spec() ? commandFor(m_document.file(), m_document.savedContent(),
                                                           m_document.content(), names)
                                              : QString();
    m_plan->show(m_view, command, checking);
    m_run->setEnabled(m_view.canRun);
}

void JobPage::refreshTitle() {
    const QString name =
        m_document.file().isEmpty() ? tr("New job") : QFileInfo(m_document.file()).fileName();
    m_title->setText(m_document.isModified() && !m_document.file().isEmpty() ? tr("%1 (changed)").arg(name)
                                                                             : name);
    m_title->setToolTip(m_document.file());
}

void JobPage::askOpen() {
    auto* dialog =
        new QFileDialog(this, tr("Open a job"), m_document.folder(), tr("Jobs (*.json);;All files (*)"));
    dialog->setObjectName(QStringLiteral("openJobDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) { openFile(file); });
    dialog->open();
}

void JobPage::askSave() {
    auto* dialog =
        new QFileDialog(this, tr("Save this job"), m_document.folder(), tr("Jobs (*.json);;All files (*)"));
    dialog->setObjectName(QStringLiteral("saveJobDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(m_document.file().isEmpty() ? QStringLiteral("job.json") : m_document.file());
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        if (auto saved = m_document.save(file); !saved)
            m_notices->show(core::Severity::Error, saved.error().text());
        else
            m_notices->show(core::Severity::Ok, tr("Saved as %1").arg(file));
    });
    dialog->open();
}

} // namespace coxswain::ui
