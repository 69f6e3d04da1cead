// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"
#include "cluster/core/store/summary.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace coxswain::core::store {

/// Columns of doubles in one memory-mapped file that grows, with summaries of 16, 16², … rows over them.
///
/// Note [Column file]: a header page, then extents one after the other. An extent belongs to one column and
/// one level (0: raw values, n: summaries of 16^n rows) and is as large as its number in that row of extents
/// says: doubling up to 256 KiB, so that a short run takes little and a long one needs few. The numbers in
/// the header are written last: what a killed process began is not counted and is written again. The kernel
/// keeps what a killed process wrote; after a power cut nothing is sure, so a file that another boot left
/// open is damaged. (One closed in the second before the power went may be wrong unnoticed; the lines are in
/// the run's folder.)
class ColumnFile {
public:
    static constexpr int factor = 16;
    static constexpr int maxLevel = 6;
    static constexpr std::size_t maxColumns = 1024;

    /// Damaged for a file that is cut short, of another version, or not closed before a reboot.
    static Expected<std::unique_ptr<ColumnFile>> open(const QString& path);
    static Expected<std::unique_ptr<ColumnFile>> create(const QString& path);
    ~ColumnFile();
    ColumnFile(const ColumnFile&) = delete;
    ColumnFile& operator=(const ColumnFile&) = delete;

    std::int64_t rows() const { return m_rows; }
    std::size_t columnCount() const { return m_columns.size(); }
    const std::string& name(std::size_t column) const { return m_columns[column].name; }

    /// Its values in the rows that exist are missing.
    Expected<std::size_t> addColumn(std::string_view name);
    /// One value a column. NoSpace when the disk is full: the file is then as before.
    Expected<void> appendRow(std::span<const double> values);

    double value(std::size_t column, std::int64_t row) const {
        return *at<double>(m_columns[column].extents[0], row, rawExtents);
    }
    /// Of rows [first, last) of a column; reads at most some 2 × factor values a level.
    Summary summarise(std::size_t column, std::int64_t first, std::int64_t last) const;
    /// Whether a column holds any value that is not missing.
    bool hasValues(std::size_t column) const { return m_columns[column].hasValues; }

    /// Two numbers of the owner's, kept in the header.
    std::int64_t position() const;
    void setPosition(std::int64_t position);
    std::int64_t events() const;
    void setEvents(std::int64_t events);

    /// Lets go of resident pages; what they hold stays in the file.
    void release();
    /// Bytes of the file in use.
    std::uint64_t size() const;

private:
    struct Header;
    struct ExtentHeader;
    /// Entries of an extent: `first` in number 0, twice as many in each next one, never more than `most`.
    struct ExtentSizes {
        std::uint64_t first;
        std::uint64_t most;
        std::uint64_t entries(std::uint64_t number) const;
        std::pair<std::uint64_t, std::uint64_t> locate(std::uint64_t index) const; ///< number, place in it
    };
    static constexpr ExtentSizes rawExtents{256, 32768};
    static constexpr ExtentSizes summaryExtents{16, 8192};
    static constexpr std::uint64_t extentHeaderSize = 64;

    struct Column {
        std::string name;
        std::array<std::vector<std::uint64_t>, maxLevel + 1> extents; ///< offsets in the file
        bool hasValues = false;
    };

    explicit ColumnFile(QString path) : m_path(std::move(path)) {}
    template <class T>
    T* at(const std::vector<std::uint64_t>& extents, std::int64_t index, const ExtentSizes& sizes) const {
        const auto [number, place] = sizes.locate(std::uint64_t(index));
        return reinterpret_cast<T*>(m_base + extents[number] + extentHeaderSize) + place;
    }
    Header* header() const { return reinterpret_cast<Header*>(m_base); }
    Expected<void> map(std::uint64_t size);
    Expected<void> grow(std::uint64_t size);
    Expected<void> addExtent(std::size_t column, int level, std::string_view name);
    Expected<void> makeRoom(std::size_t column, std::int64_t rows);
    bool readExtents();
    bool isComplete() const;
    void summariseEnd(std::size_t column, std::int64_t rows);
    tl::unexpected<Error> failure(const char* tried, int number) const;

    QString m_path;
    unsigned char* m_base = nullptr;
    std::uint64_t m_mapped = 0;
    std::int64_t m_rows = 0;
    std::vector<Column> m_columns;
};

} // namespace coxswain::core::store
