// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/metricsstore.h"
#include "cluster/core/store/columnfile.h"
#include "cluster/core/store/linecolumns.h"

#include <map>

namespace coxswain::core::store {

/// The samples of one rank or node. Rows are in the order in which they came. Columns "attempt" and "time"
/// (and "step", for a rank) come first, one a metric follows when its first value comes.
class Source {
public:
    static Expected<std::unique_ptr<Source>> create(SeriesId::Source kind, const QString& path);
    static Expected<std::unique_ptr<Source>> open(SeriesId::Source kind, const QString& path);

    /// A step or node line. A step that its attempt has already given, and a repeated node sample, change
    /// nothing: a reader that was interrupted may send lines again. False for such a line.
    Expected<bool> append(const wire::MetricsLine& line);

    ColumnFile& file() { return *m_file; }
    const ColumnFile& file() const { return *m_file; }
    QStringList metrics() const;
    const std::optional<wire::MetricsLine>& latest() const { return m_latest; }

    std::optional<std::pair<double, double>> extent(const QString& metric, Axis axis) const;
    QList<Bin> bins(const QString& metric, Axis axis, double from, double to, int maxBins) const;

private:
    /// Rows [first, last) in which x ascends.
    struct Piece {
        std::int64_t first = 0;
        std::int64_t last = 0;
    };
    class Binner;

    Source(SeriesId::Source kind, std::unique_ptr<ColumnFile> file) : m_kind(kind), m_file(std::move(file)) {}
    Expected<void> addFixedColumns();
    void readBack();
    bool isRepeated(const wire::MetricsLine& line) const;
    Expected<void> write(const wire::MetricsLine& line, double time);
    std::size_t xColumn(Axis axis) const;
    std::optional<std::size_t> columnOf(const QString& metric) const;
    QList<Piece> pieces(Axis axis) const;
    std::int64_t firstRowFrom(std::size_t column, std::int64_t first, std::int64_t last, double x) const;

    SeriesId::Source m_kind;
    std::unique_ptr<ColumnFile> m_file;
    std::map<std::string, std::size_t, std::less<>> m_columns;
    std::vector<std::int64_t> m_attempts; ///< first row of each attempt
    std::optional<wire::MetricsLine> m_latest;
    double m_lastTime = 0; ///< of the time axis: never falls, see Note [Time axis]
    NodeValues m_nodeValues;
    std::vector<Value> m_values; ///< of one line; kept to be filled again
    std::vector<double> m_row;
};

} // namespace coxswain::core::store
