// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/store/columnfile.h"

#include <QFile>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace coxswain::core::store {
namespace {

constexpr std::uint64_t fileMagic = 0x31304c4f43535843; // "CXSCOL01"
constexpr std::uint32_t extentMagic = 0x54584543;       // "CEXT"
constexpr std::uint64_t headerSize = 4096;
constexpr std::uint64_t smallestFile = 64 << 10;
constexpr std::uint64_t largestStep = 16 << 20;

/// A store of the number that may not move before what it counts has been written.
template <class T>
void commit(T& place, T value) {
    std::atomic_ref<T>(place).store(value, std::memory_order_release);
}

std::array<char, 40> bootId() {
    std::array<char, 40> id{};
    QFile file(QStringLiteral("/proc/sys/kernel/random/boot_id"));
    if (file.open(QIODevice::ReadOnly)) {
        const QByteArray text = file.readAll().trimmed().left(qsizetype(id.size()) - 1);
        std::copy(text.begin(), text.end(), id.begin());
    }
    return id;
}

/// A file descriptor that closes itself. None is kept: 512 sources must not use up a process's descriptors.
class Descriptor {
public:
    Descriptor(const QString& path, int flags)
        : m_fd(::open(QFile::encodeName(path).constData(), flags | O_CLOEXEC, 0600)) {}
    ~Descriptor() {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return m_fd; }

private:
    int m_fd;
};

} // namespace

struct ColumnFile::Header {
    std::uint64_t magic;
    std::uint64_t size; ///< of the file
    std::uint64_t used; ///< up to here there are extents
    std::int64_t rows;
    std::uint64_t columns;
    std::int64_t position;
    std::int64_t events;
    std::uint64_t closed; ///< 1: everything was written when it was closed
    std::array<char, 40> boot;
};

struct ColumnFile::ExtentHeader {
    std::uint32_t magic;
    std::uint16_t column;
    std::uint16_t level;
    std::uint64_t number;
    std::uint64_t size; ///< this header included
    std::array<char, 40> name;
};

std::uint64_t ColumnFile::ExtentSizes::entries(std::uint64_t number) const {
    return number >= 32 ? most : std::min(most, first << number);
}

std::pair<std::uint64_t, std::uint64_t> ColumnFile::ExtentSizes::locate(std::uint64_t index) const {
    const auto doublings = std::uint64_t(std::countr_zero(most / first)); // extents smaller than `most`
    const std::uint64_t before = first * ((std::uint64_t(1) << doublings) - 1);
    if (index >= before)
        return {doublings + (index - before) / most, (index - before) % most};
    const auto number = std::uint64_t(std::bit_width(index / first + 1) - 1);
    return {number, index - first * ((std::uint64_t(1) << number) - 1)};
}

tl::unexpected<Error> ColumnFile::failure(const char* tried, int number) const {
    const bool full = number == ENOSPC || number == EDQUOT;
    return fail({full ? ErrorCode::NoSpace : ErrorCode::Failed,
                 {},
                 QStringLiteral("%1 %2").arg(QLatin1StringView(tried), m_path),
                 QString::fromLocal8Bit(std::strerror(number)),
                 full ? QStringLiteral("Free some space, or delete old runs") : QString()});
}

Expected<std::unique_ptr<ColumnFile>> ColumnFile::create(const QString& path) {
    static_assert(sizeof(ExtentHeader) == extentHeaderSize && sizeof(Header) <= headerSize);
    std::unique_ptr<ColumnFile> file(new ColumnFile(path));
    {
        const Descriptor descriptor(path, O_RDWR | O_CREAT | O_TRUNC);
        if (descriptor.get() < 0)
            return file->failure("create", errno);
        // Reserved, not just sized: a write to a mapped hole of a full disk is a SIGBUS.
        if (const int number = ::posix_fallocate(descriptor.get(), 0, smallestFile))
            return file->failure("make room in", number);
    }
    if (auto mapped = file->map(smallestFile); !mapped)
        return tl::unexpected(mapped.error());
    Header& header = *file->header();
    header.size = smallestFile;
    header.used = headerSize;
    header.boot = bootId();
    commit(header.magic, fileMagic);
    return file;
}

Expected<std::unique_ptr<ColumnFile>> ColumnFile::open(const QString& path) {
    std::unique_ptr<ColumnFile> file(new ColumnFile(path));
    const auto damaged = [&](const char* seen) {
        return fail({ErrorCode::Damaged, {}, QStringLiteral("open ") + path, QString::fromLatin1(seen), {}});
    };
    struct stat status {};
    if (::stat(QFile::encodeName(path).constData(), &status) != 0)
        return file->failure("open", errno);
    if (std::uint64_t(status.st_size) < smallestFile)
        return damaged("it is cut short");
    if (auto mapped = file->map(std::uint64_t(status.st_size)); !mapped)
        return tl::unexpected(mapped.error());
    Header& header = *file->header();
    if (header.magic != fileMagic)
        return damaged("it is of another version");
    if (header.size > file->m_mapped || header.used < headerSize || header.used > header.size ||
        header.rows < 0)
        return damaged("it is cut short");
    if (header.closed != 1 && header.boot != bootId())
        return damaged("it was not closed before the machine went down");
    file->m_rows = header.rows;
    if (!file->readExtents() || !file->isComplete())
        return damaged("its index is broken");
    for (std::size_t column = 0; column < file->m_columns.size(); ++column)
        file->m_columns[column].hasValues = file->summarise(column, 0, file->m_rows).count > 0;
    header.size = file->m_mapped; // more where it was growing when the process was killed
    header.boot = bootId();
    commit(header.closed, std::uint64_t(0));
    return file;
}

ColumnFile::~ColumnFile() {
    if (!m_base)
        return;
    if (header()->magic == fileMagic && header()->size == m_mapped) {
        commit(header()->closed, std::uint64_t(1));
        // Begun, not awaited: a window with many sources must close at once.
        if (const Descriptor descriptor(m_path, O_RDWR); descriptor.get() >= 0)
            ::sync_file_range(descriptor.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
    }
    ::munmap(m_base, m_mapped);
}

Expected<void> ColumnFile::map(std::uint64_t size) {
    const Descriptor descriptor(m_path, O_RDWR);
    if (descriptor.get() < 0)
        return failure("open", errno);
    void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
    if (base == MAP_FAILED)
        return failure("map", errno);
    m_base = static_cast<unsigned char*>(base);
    m_mapped = size;
    return {};
}

Expected<void> ColumnFile::grow(std::uint64_t size) {
    const std::uint64_t target = std::max(size, m_mapped + std::min(m_mapped, largestStep));
    const std::uint64_t rounded = (target + 0xffff) & ~std::uint64_t(0xffff);
    {
        const Descriptor descriptor(m_path, O_RDWR);
        if (descriptor.get() < 0)
            return failure("open", errno);
        if (const int number = ::posix_fallocate(descriptor.get(), 0, off_t(rounded)))
            return failure("make room in", number);
    }
    void* base = ::mremap(m_base, m_mapped, rounded, MREMAP_MAYMOVE);
    if (base == MAP_FAILED)
        return failure("map", errno);
    m_base = static_cast<unsigned char*>(base);
    m_mapped = rounded;
    commit(header()->size, rounded);
    return {};
}

Expected<void> ColumnFile::addExtent(std::size_t column, int level, std::string_view name) {
    auto& extents = m_columns[column].extents[std::size_t(level)];
    const std::uint64_t number = extents.size();
    const std::uint64_t content = level == 0 ? rawExtents.entries(number) * sizeof(double)
                                             : summaryExtents.entries(number) * sizeof(Summary);
    const std::uint64_t size = extentHeaderSize + content;
    if (header()->used + size > m_mapped)
        if (auto grown = grow(header()->used + size); !grown)
            return grown;
    const std::uint64_t offset = header()->used;
    auto& extent = *reinterpret_cast<ExtentHeader*>(m_base + offset);
    extent = {extentMagic, std::uint16_t(column), std::uint16_t(level), number, size, {}};
    std::copy(name.begin(), name.end(), extent.name.begin());
    commit(header()->used, offset + size);
    extents.push_back(offset);
    return {};
}

/// Extents for `rows` rows, raw and summaries.
Expected<void> ColumnFile::makeRoom(std::size_t column, std::int64_t rows) {
    std::int64_t entries = rows;
    for (int level = 0; level <= maxLevel && entries > 0; ++level, entries /= factor) {
        const auto& sizes = level == 0 ? rawExtents : summaryExtents;
        const auto needed = sizes.locate(std::uint64_t(entries - 1)).first + 1;
        while (m_columns[column].extents[std::size_t(level)].size() < needed)
            if (auto added = addExtent(column, level, m_columns[column].name); !added)
                return added;
    }
    return {};
}

/// Makes the summaries of all groups that end with row number `rows`.
void ColumnFile::summariseEnd(std::size_t column, std::int64_t rows) {
    std::int64_t entries = rows;
    for (int level = 1; level <= maxLevel && entries % factor == 0; ++level) {
        Summary summary;
        const auto& below = m_columns[column].extents[std::size_t(level) - 1];
        for (std::int64_t i = entries - factor; i < entries; ++i) {
            if (level == 1)
                summary.add(*at<double>(below, i, rawExtents));
            else
                summary.add(*at<Summary>(below, i, summaryExtents));
        }
        entries /= factor;
        *at<Summary>(m_columns[column].extents[std::size_t(level)], entries - 1, summaryExtents) = summary;
    }
}

Expected<std::size_t> ColumnFile::addColumn(std::string_view name) {
    const std::size_t column = m_columns.size();
    if (column >= maxColumns || name.size() >= sizeof(ExtentHeader::name))
        return fail({ErrorCode::Internal,
                     {},
                     QStringLiteral("add a column to ") + m_path,
                     QString::fromUtf8(name.data(), qsizetype(name.size())),
                     {}});
    m_columns.push_back({std::string(name), {}, false});
    // At least one extent, which carries the name.
    if (auto made = makeRoom(column, std::max<std::int64_t>(1, m_rows)); !made) {
        m_columns.pop_back();
        commit(header()->magic, std::uint64_t(0)); // half a column: the next open() must make it anew
        return tl::unexpected(made.error());
    }
    for (std::int64_t row = 0; row < m_rows; ++row) {
        *at<double>(m_columns[column].extents[0], row, rawExtents) = missing();
        summariseEnd(column, row + 1);
    }
    commit(header()->columns, std::uint64_t(column + 1));
    return column;
}

Expected<void> ColumnFile::appendRow(std::span<const double> values) {
    for (std::size_t column = 0; column < m_columns.size(); ++column)
        if (auto made = makeRoom(column, m_rows + 1); !made)
            return made;
    for (std::size_t column = 0; column < m_columns.size(); ++column) {
        const double value = values[column];
        const bool plainNan = std::isnan(value) && !isMissing(value);
        *at<double>(m_columns[column].extents[0], m_rows, rawExtents) =
            plainNan ? std::numeric_limits<double>::quiet_NaN() : value;
        m_columns[column].hasValues = m_columns[column].hasValues || !isMissing(value);
        summariseEnd(column, m_rows + 1);
    }
    ++m_rows;
    commit(header()->rows, m_rows);
    return {};
}

Summary ColumnFile::summarise(std::size_t column, std::int64_t first, std::int64_t last) const {
    Summary summary;
    while (first < last) {
        int level = 0;
        std::int64_t width = 1;
        while (level < maxLevel && first % (width * factor) == 0 && first + width * factor <= last) {
            ++level;
            width *= factor;
        }
        const auto& extents = m_columns[column].extents[std::size_t(level)];
        if (level == 0)
            summary.add(*at<double>(extents, first, rawExtents));
        else
            summary.add(*at<Summary>(extents, first / width, summaryExtents));
        first += width;
    }
    return summary;
}

bool ColumnFile::readExtents() {
    for (std::uint64_t offset = headerSize; offset < header()->used;) {
        if (header()->used - offset < extentHeaderSize)
            return false;
        const auto& extent = *reinterpret_cast<const ExtentHeader*>(m_base + offset);
        const bool known = extent.magic == extentMagic && extent.level <= maxLevel &&
                           extent.column < maxColumns && extent.column <= m_columns.size() &&
                           extent.name.back() == 0;
        if (!known)
            return false;
        if (extent.column == m_columns.size())
            m_columns.push_back({std::string(extent.name.data()), {}, false});
        auto& extents = m_columns[extent.column].extents[extent.level];
        const std::uint64_t content = extent.level == 0
                                          ? rawExtents.entries(extents.size()) * sizeof(double)
                                          : summaryExtents.entries(extents.size()) * sizeof(Summary);
        if (extent.number != extents.size() || extent.size != extentHeaderSize + content ||
            extent.size > header()->used - offset)
            return false;
        extents.push_back(offset);
        offset += extent.size;
    }
    return true;
}

/// Every column that was counted has the extents of every row that was counted.
bool ColumnFile::isComplete() const {
    if (header()->columns != m_columns.size() || m_rows > std::int64_t(1) << 40)
        return false;
    for (const Column& column : m_columns) {
        std::int64_t entries = m_rows;
        for (int level = 0; level <= maxLevel && entries > 0; ++level, entries /= factor) {
            const auto& sizes = level == 0 ? rawExtents : summaryExtents;
            if (column.extents[std::size_t(level)].size() <= sizes.locate(std::uint64_t(entries - 1)).first)
                return false;
        }
    }
    return true;
}

std::int64_t ColumnFile::position() const {
    return header()->position;
}

void ColumnFile::setPosition(std::int64_t position) {
    commit(header()->position, position);
}

std::int64_t ColumnFile::events() const {
    return header()->events;
}

void ColumnFile::setEvents(std::int64_t events) {
    commit(header()->events, events);
}

void ColumnFile::release() {
    ::madvise(m_base, m_mapped, MADV_DONTNEED);
}

std::uint64_t ColumnFile::size() const {
    return header()->used;
}

} // namespace coxswain::core::store
