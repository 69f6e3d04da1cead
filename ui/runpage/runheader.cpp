// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runpage/runheader.h"

#include "ui/format.h"
#include "ui/runtexts.h"
#include "ui/theme.h"
#include "ui/widgets/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace coxswain::ui {
namespace {

QPushButton* button(const QString& name, const QString& text, const QString& toolTip,
                    const QKeySequence& shortcut = {}) {
    auto* made = new QPushButton(text);
    made->setObjectName(name);
    made->setShortcut(shortcut);
    made->setToolTip(shortcut.isEmpty() ? toolTip
                                        : QStringLiteral("%1 (%2)").arg(
                                              toolTip, shortcut.toString(QKeySequence::NativeText)));
    return made;
}

} // namespace

RunHeader::RunHeader(const Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_symbol(new QLabel), m_name(new QLabel), m_state(new QLabel),
      m_progress(new QProgressBar) {
    setObjectName(QStringLiteral("runHeader"));
    m_name->setObjectName(QStringLiteral("runName"));
    m_name->setProperty("role", QStringLiteral("title"));
    m_name->setTextFormat(Qt::PlainText);
    m_state->setObjectName(QStringLiteral("runState"));
    m_progress->setObjectName(QStringLiteral("runProgress"));
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(6);
    m_progress->setAccessibleName(tr("Progress of the run"));
    auto* title = new QHBoxLayout;
    title->addWidget(m_symbol);
    title->addWidget(m_name);
    title->addSpacing(6);
    title->addWidget(m_state, 1);
    auto* left = new QVBoxLayout;
    left->setSpacing(4);
    left->addLayout(title);
    left->addWidget(m_progress);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(16);
    row->addLayout(left, 1);
    m_step =
        addValue(*row, QStringLiteral("runStep"), tr("Step"), tr("Newest step that every rank has reported"));
    m_left =
        addValue(*row, QStringLiteral("runTimeLeft"), tr("Time left"), tr("At the speed of the last steps"));
    m_speed =
        addValue(*row, QStringLiteral("runSpeed"), tr("Tokens/s"), tr("Over all ranks, in the last steps"));
    m_loss = addValue(*row, QStringLiteral("runLoss"), tr("Loss"), tr("Over all ranks, at the newest step"));
    m_stop =
        button(QStringLiteral("stopButton"), tr("&Stop"),
               tr("Save the model at the end of the current step, then end"), QKeySequence(tr("Ctrl+.")));
    m_end =
        button(QStringLiteral("endNowButton"), tr("&End now"), tr("End all ranks at once, without saving"));
    m_follow = button(QStringLiteral("followRunButton"), tr("&Attach"),
                      tr("Connect to the run's nodes and follow it"));
    m_again = button(QStringLiteral("runAgainButton"), tr("Run a&gain …"),
                     tr("Open the Job page with this run's settings"));
    for (QPushButton* one : {m_follow, m_again, m_stop, m_end})
        row->addWidget(one);
    connect(m_stop, &QPushButton::clicked, this, [this] { emit stopRequested(false); });
    connect(m_end, &QPushButton::clicked, this, [this] { emit stopRequested(true); });
    connect(m_follow, &QPushButton::clicked, this, &RunHeader::followRequested);
    connect(m_again, &QPushButton::clicked, this, &RunHeader::againRequested);
}

QLabel* RunHeader::addValue(QHBoxLayout& row, const QString& name, const QString& caption,
                            const QString& toolTip) {
    auto* value = new QLabel;
    value->setObjectName(name);
    value->setProperty("role", QStringLiteral("value"));
    value->setToolTip(toolTip);
    value->setAccessibleName(caption);
    auto* label = new QLabel(caption);
    label->setProperty("role", QStringLiteral("muted"));
    label->setToolTip(toolTip);
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    column->addWidget(label);
    column->addWidget(value);
    row.addLayout(column);
    return value;
}

void RunHeader::set(const job::RunSnapshot& snapshot, const std::optional<double>& loss, bool canStop,
                    bool canEndNow) {
    const QString unknown = QStringLiteral("–");
    const auto severity = runtexts::stateSeverity(snapshot);
    m_symbol->setPixmap(icons::severity(severity, m_theme.colours().of(severity), 18));
    m_name->setText(snapshot.record.name);
    m_name->setToolTip(
        tr("Run %1, started %2").arg(snapshot.record.id, format::instant(snapshot.record.created)));
    QString state = runtexts::stateText(snapshot);
    if (snapshot.record.ended.isValid())
        state +=
            tr(" after %1")
                .arg(format::duration(double(snapshot.record.created.msecsTo(snapshot.record.ended)) / 1000));
    m_state->setText(state);
    const bool known = snapshot.steps > 0;
    m_progress->setRange(0, 1000);
    m_progress->setValue(known ? int(1000 * snapshot.step / snapshot.steps) : 0);
    m_step->setText(known ? tr("%1 / %2").arg(format::count(snapshot.step), format::count(snapshot.steps))
                          : unknown);
    const bool ended = !snapshot.live || snapshot.state.phase == core::Phase::Ended;
    m_left->setText(ended || snapshot.secondsLeft < 0 ? unknown : format::duration(snapshot.secondsLeft));
    m_speed->setText(snapshot.tokensPerSecond < 0 ? unknown : format::shortCount(snapshot.tokensPerSecond));
    m_loss->setText(loss ? format::number(*loss) : unknown);
    m_stop->setVisible(!ended);
    m_end->setVisible(!ended);
    m_stop->setEnabled(canStop);
    m_end->setEnabled(canEndNow);
    m_follow->setVisible(!snapshot.live && runtexts::mayBeRunning(snapshot.record));
    m_again->setVisible(ended);
}

} // namespace coxswain::ui
