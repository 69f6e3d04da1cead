// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace coxswain::ui {

class PlotGroup;
class Theme;

/// A chip for each rank, by node: the piece of line it is drawn with, and whether it is shown.
class RankLegend : public QWidget {
    Q_OBJECT
public:
    RankLegend(PlotGroup& group, const Theme& theme, QWidget* parent = nullptr);

private:
    void rebuild();

    PlotGroup& m_group;
    const Theme& m_theme;
};

} // namespace coxswain::ui
