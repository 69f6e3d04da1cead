// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runpage/ranklegend.h"

#include "ui/plots/plotgroup.h"
#include "ui/plots/serieslook.h"
#include "ui/widgets/flowlayout.h"
#include "ui/widgets/icons.h"

#include <QToolButton>

namespace coxswain::ui {

RankLegend::RankLegend(PlotGroup& group, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_group(group), m_theme(theme) {
    setObjectName(QStringLiteral("rankLegend"));
    new FlowLayout(this);
    connect(&group, &PlotGroup::ranksChanged, this, &RankLegend::rebuild);
    connect(&theme, &Theme::changed, this, &RankLegend::rebuild);
    rebuild();
}

void RankLegend::rebuild() {
    while (QLayoutItem* item = layout()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const PlotRank& rank : m_group.ranks()) {
        const SeriesLook look = lookOfRank(rank.rank, m_theme.colours());
        auto* chip = new QToolButton;
        chip->setObjectName(QStringLiteral("rankChip%1").arg(rank.rank));
        chip->setProperty("chip", true);
        chip->setCheckable(true);
        chip->setChecked(m_group.isVisible(rank.rank));
        chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        chip->setIcon(QIcon(icons::line(look.colour, look.style)));
        chip->setIconSize(QSize(22, 10));
        chip->setText(rank.label());
        chip->setToolTip(tr("Show or hide rank %1 on %2").arg(rank.rank).arg(rank.node));
        chip->setAccessibleName(chip->toolTip());
        connect(chip, &QToolButton::toggled, this,
                [this, index = rank.rank](bool shown) { m_group.setVisible(index, shown); });
        layout()->addWidget(chip);
    }
    updateGeometry();
}

} // namespace coxswain::ui
