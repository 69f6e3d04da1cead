// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sidebar.h"

#include "ui/format.h"
#include "ui/runtexts.h"
#include "ui/theme.h"
#include "ui/widgets/icons.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace coxswain::ui {
namespace {

constexpr int sidebarWidth = 172;

} // namespace

Sidebar::Sidebar(const Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_card(new QFrame), m_symbol(new QLabel), m_name(new QLabel),
      m_state(new QLabel), m_numbers(new QLabel), m_progress(new QProgressBar), m_themes(new QComboBox) {
    setObjectName(QStringLiteral("sidebar"));
    setFixedWidth(sidebarWidth);
    auto* brand = new QLabel(QStringLiteral("Coxswain"));
    brand->setProperty("role", QStringLiteral("title"));
    brand->setContentsMargins(8, 0, 0, 6);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 12, 10, 12);
    column->setSpacing(2);
    column->addWidget(brand);
    auto* group = new QButtonGroup(this);
    const struct {
        const char* name;
        QString text;
    } pages[] = {{"nodesPageButton", tr("Nodes")},
                 {"jobPageButton", tr("Job")},
                 {"runPageButton", tr("Run")},
                 {"historyPageButton", tr("History")}};
    for (int page = 0; page < PageCount; ++page) {
        auto* button = new QToolButton;
        button->setObjectName(QString::fromLatin1(pages[page].name));
        button->setText(pages[page].text);
        button->setProperty("nav", true);
        button->setCheckable(true);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIconSize(QSize(20, 20));
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        const QKeySequence key(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + page));
        button->setShortcut(key);
        button->setToolTip(
            QStringLiteral("%1 (%2)").arg(pages[page].text, key.toString(QKeySequence::NativeText)));
        group->addButton(button, page);
        m_buttons.append(button);
        column->addWidget(button);
    }
    connect(group, &QButtonGroup::idClicked, this, &Sidebar::pageRequested);
    column->addStretch();
    column->addWidget(makeRunCard());
    column->addSpacing(8);
    m_themes->setObjectName(QStringLiteral("themeBox"));
    m_themes->setAccessibleName(tr("Appearance"));
    m_themes->setToolTip(tr("Light or dark"));
    m_themes->addItem(tr("Like the system"), int(ThemeMode::System));
    m_themes->addItem(tr("Light"), int(ThemeMode::Light));
    m_themes->addItem(tr("Dark"), int(ThemeMode::Dark));
    column->addWidget(m_themes);
    connect(m_themes, &QComboBox::activated, this,
            [this] { emit themeRequested(static_cast<ThemeMode>(m_themes->currentData().toInt())); });
    connect(&theme, &Theme::changed, this, &Sidebar::recolour);
    recolour();
    setRun(nullptr);
}

QWidget* Sidebar::makeRunCard() {
    m_card->setObjectName(QStringLiteral("runCard"));
    m_card->setProperty("card", true);
    m_name->setObjectName(QStringLiteral("runCardName"));
    m_name->setProperty("role", QStringLiteral("heading"));
    m_name->setTextFormat(Qt::PlainText);
    m_state->setObjectName(QStringLiteral("runCardState"));
    m_state->setWordWrap(true);
    m_numbers->setObjectName(QStringLiteral("runCardNumbers"));
    m_numbers->setProperty("role", QStringLiteral("muted"));
    m_numbers->setWordWrap(true);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(5);
    m_progress->setRange(0, 1000);
    m_progress->setAccessibleName(tr("Progress of the run"));
    auto* head = new QHBoxLayout;
    head->addWidget(m_symbol);
    head->addWidget(m_name, 1);
    auto* column = new QVBoxLayout(m_card);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(3);
    column->addLayout(head);
    column->addWidget(m_state);
    column->addWidget(m_progress);
    column->addWidget(m_numbers);
    return m_card;
}

void Sidebar::setPage(Page page) {
    m_buttons[page]->setChecked(true);
}

void Sidebar::setThemeMode(ThemeMode mode) {
    m_themes->setCurrentIndex(m_themes->findData(int(mode)));
}

void Sidebar::setRun(const job::RunSnapshot* snapshot) {
    m_symbol->setVisible(snapshot);
    m_progress->setVisible(snapshot);
    m_numbers->setVisible(snapshot);
    if (!snapshot) {
        m_name->setText(tr("No run"));
        m_state->setText(tr("Nothing is running here."));
        return;
    }
    m_severity = runtexts::stateSeverity(*snapshot);
    m_symbol->setPixmap(icons::severity(m_severity, m_theme.colours().of(m_severity)));
    m_name->setText(
        m_name->fontMetrics().elidedText(snapshot->record.name, Qt::ElideRight, sidebarWidth - 66));
    m_name->setToolTip(snapshot->record.name);
    m_state->setText(runtexts::stateText(*snapshot));
    m_progress->setValue(snapshot->steps > 0 ? int(1000 * snapshot->step / snapshot->steps) : 0);
    QStringList numbers;
    if (snapshot->steps > 0)
        numbers.append(tr("step %1 / %2").arg(format::count(snapshot->step), format::count(snapshot->steps)));
    if (snapshot->record.lastLoss)
        numbers.append(tr("loss %1").arg(format::number(*snapshot->record.lastLoss)));
    if (snapshot->secondsLeft >= 0 && snapshot->state.phase != core::Phase::Ended)
        numbers.append(tr("%1 left").arg(format::duration(snapshot->secondsLeft)));
    m_numbers->setText(numbers.join(QLatin1Char('\n')));
}

void Sidebar::recolour() {
    const Colours& c = m_theme.colours();
    constexpr icons::Page pages[] = {icons::Page::Nodes, icons::Page::Job, icons::Page::Run,
                                     icons::Page::History};
    for (int page = 0; page < PageCount; ++page)
        m_buttons[page]->setIcon(icons::page(pages[page], c.muted, c.onAccent));
    m_symbol->setPixmap(icons::severity(m_severity, c.of(m_severity)));
}

} // namespace coxswain::ui
