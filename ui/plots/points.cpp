// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coxswain::ui {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

QList<core::Bin> joined(const QList<core::Bin>& bins) {
    QList<core::Bin> result;
    for (qsizetype i = 0; i < bins.size(); i += 2) {
        core::Bin bin = bins[i];
        if (i + 1 < bins.size()) {
            const core::Bin& next = bins[i + 1];
            bin.last = next.last;
            // fmin and fmax ignore a NaN.
            bin.minimum = std::fmin(bin.minimum, next.minimum);
            bin.maximum = std::fmax(bin.maximum, next.maximum);
            bin.mean = (bin.mean * double(bin.count) + next.mean * double(next.count)) /
                       double(std::max<qint64>(1, bin.count + next.count));
            bin.count += next.count;
            bin.nonFinite = bin.nonFinite || next.nonFinite;
        }
        result.append(bin);
    }
    return result;
}

LinePoints draw(const QList<core::Bin>& bins) {
    LinePoints points;
    const auto add = [&points](double x, double y) {
        points.x.append(x);
        points.y.append(y);
    };
    const core::Bin* before = nullptr;
    for (const core::Bin& bin : bins) {
        const double middle = (bin.first + bin.last) / 2;
        if (bin.nonFinite)
            points.nonFinite.append(middle);
        if (std::isnan(bin.minimum)) {
            // Two breaks in a row say no more than one.
            if (!points.y.isEmpty() && !std::isnan(points.y.last()))
                add(middle, none);
            before = &bin;
            continue;
        }
        const bool gap = before && bin.first - before->last > 1;
        if (gap && !points.y.isEmpty() && !std::isnan(points.y.last()))
            add((before->last + bin.first) / 2, none);
        if (bin.minimum == bin.maximum) {
            add(middle, bin.minimum);
        } else {
            const double last = points.y.isEmpty() ? none : points.y.last();
            const bool upFirst = std::abs(last - bin.maximum) < std::abs(last - bin.minimum);
            add(middle, upFirst ? bin.maximum : bin.minimum);
            add(middle, upFirst ? bin.minimum : bin.maximum);
        }
        before = &bin;
    }
    return points;
}

} // namespace

LinePoints linePoints(const QList<core::Bin>& bins, int maxPoints) {
    LinePoints points = draw(bins);
    QList<core::Bin> fewer = bins;
    while (points.x.size() > maxPoints && fewer.size() > 1) {
        fewer = joined(fewer);
        points = draw(fewer);
    }
    return points;
}

std::optional<std::pair<double, double>> valueRange(const QList<core::Bin>& bins) {
    std::optional<std::pair<double, double>> range;
    for (const core::Bin& bin : bins) {
        if (std::isnan(bin.minimum))
            continue;
        if (!range)
            range.emplace(bin.minimum, bin.maximum);
        range->first = std::min(range->first, bin.minimum);
        range->second = std::max(range->second, bin.maximum);
    }
    return range;
}

const core::Bin* binAt(const QList<core::Bin>& bins, double x) {
    const auto after = std::lower_bound(bins.begin(), bins.end(), x,
                                        [](const core::Bin& bin, double at) { return bin.last < at; });
    const core::Bin* best = nullptr;
    double nearest = 0.5;
    const auto consider = [&](const core::Bin& bin) {
        const double distance = x < bin.first ? bin.first - x : x > bin.last ? x - bin.last : 0;
        if (distance <= nearest) {
            nearest = distance;
            best = &bin;
        }
    };
    if (after != bins.begin())
        consider(*std::prev(after));
    if (after != bins.end())
        consider(*after);
    return best;
}

QVector<double> columnMeans(const QList<QList<core::Bin>>& sources, double from, double to, int columns) {
    QVector<double> sums(columns, 0.0);
    QVector<double> counts(columns, 0.0);
    for (const auto& bins : sources) {
        for (const core::Bin& bin : bins) {
            if (std::isnan(bin.mean) || bin.count == 0)
                continue;
            const double middle = (bin.first + bin.last) / 2;
            const int column = std::clamp(int((middle - from) / (to - from) * columns), 0, columns - 1);
            sums[column] += bin.mean * double(bin.count);
            counts[column] += double(bin.count);
        }
    }
    for (int column = 0; column < columns; ++column)
        sums[column] = counts[column] > 0 ? sums[column] / counts[column] : none;
    return sums;
}

} // namespace coxswain::ui
