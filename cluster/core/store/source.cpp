// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/store/source.h"

#include <algorithm>
#include <cmath>

namespace coxswain::core::store {
namespace {

constexpr std::size_t attemptColumn = 0;
constexpr std::size_t timeColumn = 1;
constexpr std::size_t stepColumn = 2;

} // namespace

Expected<std::unique_ptr<Source>> Source::create(SeriesId::Source kind, const QString& path) {
    auto file = ColumnFile::create(path);
    if (!file)
        return tl::unexpected(file.error());
    std::unique_ptr<Source> source(new Source(kind, std::move(*file)));
    if (auto added = source->addFixedColumns(); !added)
        return tl::unexpected(added.error());
    return source;
}

Expected<void> Source::addFixedColumns() {
    for (const char* name : {"attempt", "time", "step"}) {
        if (m_kind == SeriesId::Source::Node && std::string_view(name) == "step")
            continue;
        if (auto added = m_file->addColumn(name); !added)
            return tl::unexpected(added.error());
    }
    return {};
}

Expected<std::unique_ptr<Source>> Source::open(SeriesId::Source kind, const QString& path) {
    auto file = ColumnFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    std::unique_ptr<Source> source(new Source(kind, std::move(*file)));
    const std::size_t fixed = kind == SeriesId::Source::Rank ? 3 : 2;
    if (source->m_file->columnCount() < fixed)
        return fail({ErrorCode::Damaged,
                     {},
                     QStringLiteral("open ") + path,
                     QStringLiteral("it has no columns"),
                     {}});
    source->readBack();
    return source;
}

/// What is kept in memory besides the file: attempts, columns by name, the newest line.
void Source::readBack() {
    const std::size_t fixed = m_kind == SeriesId::Source::Rank ? 3 : 2;
    for (std::size_t column = fixed; column < m_file->columnCount(); ++column)
        m_columns.emplace(m_file->name(column), column);
    for (std::int64_t row = 0; row < m_file->rows();) {
        m_attempts.push_back(row);
        row = firstRowFrom(attemptColumn, row, m_file->rows(),
                           std::nextafter(m_file->value(attemptColumn, row), HUGE_VAL));
        if (row == m_attempts.back()) // only in a file with damaged values
            break;
    }
    if (m_file->rows() == 0)
        return;
    const std::int64_t last = m_file->rows() - 1;
    std::vector<Value> values;
    for (const auto& [name, column] : m_columns)
        if (const double value = m_file->value(column, last); !isMissing(value))
            values.push_back({name, value});
    m_latest.emplace();
    m_latest->attempt = int(std::clamp(m_file->value(attemptColumn, last), 0.0, 2e9));
    m_latest->time = m_lastTime = m_file->value(timeColumn, last);
    if (m_kind == SeriesId::Source::Rank)
        m_latest->body =
            stepLine(std::int64_t(std::clamp(m_file->value(stepColumn, last), -9e15, 9e15)), values);
    else
        m_latest->body = nodeLine(values);
}

bool Source::isRepeated(const wire::MetricsLine& line) const {
    if (!m_latest || line.attempt > m_latest->attempt)
        return false;
    if (line.attempt < m_latest->attempt)
        return true;
    if (const auto* step = std::get_if<wire::StepLine>(&line.body))
        return step->step <= std::get<wire::StepLine>(m_latest->body).step;
    return line.time == m_latest->time;
}

Expected<bool> Source::append(const wire::MetricsLine& line) {
    if (isRepeated(line))
        return false;
    // Note [Time axis]: a clock that is set back must not disorder the axis: such samples stand at the newest
    // time that was seen. Lines in the run's folder keep what the node wrote.
    const double time = m_file->rows() == 0 ? line.time : std::max(line.time, m_lastTime);
    const bool newAttempt = !m_latest || line.attempt != m_latest->attempt;
    if (auto written = write(line, time); !written)
        return tl::unexpected(written.error());
    if (newAttempt)
        m_attempts.push_back(m_file->rows() - 1);
    m_lastTime = time;
    m_latest = line;
    return true;
}

Expected<void> Source::write(const wire::MetricsLine& line, double time) {
    m_values.clear();
    if (const auto* step = std::get_if<wire::StepLine>(&line.body))
        readValues(*step, m_values);
    else
        m_nodeValues.read(std::get<wire::NodeLine>(line.body), m_values);
    m_row.assign(m_file->columnCount(), missing());
    for (const Value& value : m_values) {
        if (!value.value)
            continue;
        auto found = m_columns.find(value.name);
        if (found == m_columns.end()) {
            const auto column = m_file->addColumn(value.name);
            if (!column)
                return tl::unexpected(column.error());
            found = m_columns.emplace(value.name, *column).first;
            m_row.resize(m_file->columnCount(), missing());
        }
        m_row[found->second] = *value.value;
    }
    m_row[attemptColumn] = line.attempt;
    m_row[timeColumn] = time;
    if (const auto* step = std::get_if<wire::StepLine>(&line.body))
        m_row[stepColumn] = double(step->step);
    return m_file->appendRow(m_row);
}

QStringList Source::metrics() const {
    QStringList names;
    for (std::size_t column = m_kind == SeriesId::Source::Rank ? 3 : 2; column < m_file->columnCount();
         ++column)
        if (m_file->hasValues(column))
            names.append(QString::fromStdString(m_file->name(column)));
    return names;
}

std::size_t Source::xColumn(Axis axis) const {
    return axis == Axis::Step ? stepColumn : timeColumn;
}

std::optional<std::size_t> Source::columnOf(const QString& metric) const {
    const auto found = m_columns.find(metric.toStdString());
    return found == m_columns.end() ? std::nullopt : std::optional(found->second);
}

/// The first row in [first, last) whose value in an ascending column is at least x; `last` when there is
/// none.
std::int64_t Source::firstRowFrom(std::size_t column, std::int64_t first, std::int64_t last, double x) const {
    while (first < last) {
        const std::int64_t middle = first + (last - first) / 2;
        if (m_file->value(column, middle) < x)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/// Rows in ascending order of x. On the step axis, what a later attempt has done again is cut out of the
/// earlier ones.
QList<Source::Piece> Source::pieces(Axis axis) const {
    const std::int64_t rows = m_file->rows();
    if (axis == Axis::Time || rows == 0)
        return {{0, rows}};
    QList<Piece> kept; // ascending; filled from the newest attempt to the oldest
    std::int64_t end = rows;
    for (auto attempt = m_attempts.rbegin(); attempt != m_attempts.rend(); ++attempt) {
        QList<Piece> merged;
        std::int64_t at = *attempt; // of this attempt, what is before here has been dealt with
        for (const Piece& piece : kept) {
            const std::int64_t before =
                firstRowFrom(stepColumn, at, end, m_file->value(stepColumn, piece.first));
            if (before > at)
                merged.append({at, before});
            merged.append(piece);
            const double after = std::nextafter(m_file->value(stepColumn, piece.last - 1), HUGE_VAL);
            at = firstRowFrom(stepColumn, before, end, after);
        }
        if (at < end)
            merged.append({at, end});
        kept = merged;
        end = *attempt;
    }
    return kept;
}

std::optional<std::pair<double, double>> Source::extent(const QString& metric, Axis axis) const {
    const auto column = columnOf(metric);
    if (!column || (axis == Axis::Step && m_kind == SeriesId::Source::Node))
        return std::nullopt;
    const auto list = pieces(axis);
    if (list.isEmpty() || list.first().first == list.first().last)
        return std::nullopt;
    const std::size_t x = xColumn(axis);
    return std::pair(m_file->value(x, list.first().first), m_file->value(x, list.last().last - 1));
}

/// Fills bins from left to right. With few enough rows each has a bin of its own.
class Source::Binner {
public:
    Binner(const ColumnFile& file, std::size_t xColumn, std::size_t column, double from, double to, int bins)
        : m_file(file), m_x(xColumn), m_column(column), m_from(from), m_to(to), m_bins(bins) {}

    void addRows(const Piece& piece) {
        for (std::int64_t row = piece.first; row < piece.last; ++row)
            add(row, row + 1, -1);
    }

    void addBinned(const Piece& piece) {
        std::int64_t row = piece.first;
        while (row < piece.last) {
            const int bin = binOf(m_file.value(m_x, row));
            const std::int64_t end = endOfBin(row, piece.last, bin);
            add(row, end, bin);
            row = end;
        }
    }

    QList<Bin> take() {
        flush();
        return std::move(m_done);
    }

private:
    int binOf(double x) const {
        const double width = m_to - m_from;
        const double place = width > 0 ? (x - m_from) / width * m_bins : 0;
        if (place >= m_bins)
            return m_bins - 1;
        return place > 0 ? int(place) : 0; // also for the NaN of a damaged file
    }

    /// The first row after `row` that is not in `bin`: bins are about equally full, so look near first.
    std::int64_t endOfBin(std::int64_t row, std::int64_t last, int bin) {
        std::int64_t step = std::max<std::int64_t>(1, m_rowsOfLastBin);
        std::int64_t low = row; // is in the bin
        std::int64_t high = std::min(last, row + step);
        while (high < last && binOf(m_file.value(m_x, high)) <= bin) {
            low = high;
            step *= 2;
            high = std::min(last, high + step);
        }
        while (high - low > 1) {
            const std::int64_t middle = low + (high - low) / 2;
            (binOf(m_file.value(m_x, middle)) <= bin ? low : high) = middle;
        }
        m_rowsOfLastBin = high - row;
        return high;
    }

    void add(std::int64_t first, std::int64_t last, int bin) {
        const Summary summary = m_file.summarise(m_column, first, last);
        if (bin < 0 || bin != m_bin) {
            flush();
            m_summary = {};
            m_first = m_file.value(m_x, first);
            m_bin = bin;
        }
        m_summary.add(summary);
        m_last = m_file.value(m_x, last - 1);
    }

    void flush() {
        if (m_summary.count == 0)
            return;
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const bool any = m_summary.finite > 0;
        m_done.append({m_first, m_last, any ? m_summary.minimum : nan, any ? m_summary.maximum : nan,
                       any ? m_summary.sum / m_summary.finite : nan, m_summary.count,
                       m_summary.finite < m_summary.count});
    }

    const ColumnFile& m_file;
    std::size_t m_x;
    std::size_t m_column;
    double m_from;
    double m_to;
    int m_bins;
    int m_bin = -1;
    double m_first = 0;
    double m_last = 0;
    Summary m_summary;
    std::int64_t m_rowsOfLastBin = 1;
    QList<Bin> m_done;
};

QList<Bin> Source::bins(const QString& metric, Axis axis, double from, double to, int maxBins) const {
    const auto column = columnOf(metric);
    const bool stepOfNode = axis == Axis::Step && m_kind == SeriesId::Source::Node;
    if (!column || stepOfNode || maxBins < 1 || !(from <= to) || !std::isfinite(to - from))
        return {};
    const std::size_t x = xColumn(axis);
    QList<Piece> visible;
    std::int64_t rows = 0;
    for (const Piece& piece : pieces(axis)) {
        const Piece cut{firstRowFrom(x, piece.first, piece.last, from),
                        firstRowFrom(x, piece.first, piece.last, std::nextafter(to, HUGE_VAL))};
        if (cut.first < cut.last) {
            visible.append(cut);
            rows += cut.last - cut.first;
        }
    }
    Binner binner(*m_file, x, *column, from, to, maxBins);
    for (const Piece& piece : visible)
        rows <= maxBins ? binner.addRows(piece) : binner.addBinned(piece);
    return binner.take();
}

} // namespace coxswain::core::store
