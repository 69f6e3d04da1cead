// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme.h"

namespace coxswain::ui {

/// How a rank's line looks everywhere. Colour and pattern change together with the rank, so that neighbours
/// differ in both.
struct SeriesLook {
    QColor colour;
    Qt::PenStyle style = Qt::SolidLine;
};

inline SeriesLook lookOfRank(int rank, const Colours& colours) {
    constexpr Qt::PenStyle styles[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    return {colours.series[rank % colours.series.size()], styles[rank % 4]};
}

/// Parts of a step, in the order in which they are stacked.
inline QColor colourOfPart(int part, const Colours& colours) {
    constexpr int order[] = {4, 0, 5, 1, 2};
    return colours.series[order[part % 5]];
}

} // namespace coxswain::ui
