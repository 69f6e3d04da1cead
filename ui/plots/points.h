// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/metricsstore.h"

#include <QList>
#include <QVector>

#include <optional>

/// From bins to what is drawn. Pure.
namespace coxswain::ui {

/// A line: NaN in y breaks it. Never more points than asked for.
struct LinePoints {
    QVector<double> x, y;
    QVector<double> nonFinite; ///< x where NaN or infinity was seen
};

/// A bin of several samples becomes its smallest and its largest value, so that no spike is lost; a bin
/// without a finite value, and steps that are missing, break the line. `bins` come from
/// MetricsStore::bins(…, maxPoints / 2); where breaks would exceed maxPoints, bins are joined two by two.
LinePoints linePoints(const QList<core::Bin>& bins, int maxPoints);

/// Over all bins: the smallest minimum and the largest maximum; nothing when none has a finite value.
std::optional<std::pair<double, double>> valueRange(const QList<core::Bin>& bins);

/// The bin that x falls into, or the nearest one within half a step; nullptr where there is a gap.
const core::Bin* binAt(const QList<core::Bin>& bins, double x);

/// Means by column of pixels, for stacks and for means over ranks: every source's bins over [from, to] are
/// dealt to `columns` columns by their middle. A column without a sample is NaN.
QVector<double> columnMeans(const QList<QList<core::Bin>>& sources, double from, double to, int columns);

} // namespace coxswain::ui
