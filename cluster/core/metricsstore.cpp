// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/metricsstore.h"

#include "cluster/core/store/eventfile.h"
#include "cluster/core/store/source.h"

#include <QDir>
#include <QRegularExpression>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <map>

namespace coxswain::core {
namespace {

using store::ColumnFile;
using store::EventFile;
using store::Source;
using Key = std::pair<SeriesId::Source, int>;

/// Resident bytes of the mapped files that may gather before they are let go.
constexpr qint64 residentLimit = qint64(64) << 20;
constexpr qint64 pageSize = 4096;

/// Held while a process has the store open; the kernel lets go of it when the process dies.
class FolderLock {
public:
    explicit FolderLock(const QString& path)
        : m_fd(::open(QFile::encodeName(path).constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        m_held = m_fd >= 0 && ::flock(m_fd, LOCK_EX | LOCK_NB) == 0;
    }
    ~FolderLock() {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    bool exists() const { return m_fd >= 0; }
    bool isHeld() const { return m_held; }

private:
    int m_fd;
    bool m_held = false;
};

class FileStore : public MetricsStore {
public:
    FileStore(QDir folder, std::unique_ptr<FolderLock> lock)
        : m_lock(std::move(lock)), m_folder(std::move(folder)) {}

    /// Everything that is there, or nothing: a store with a hole is of no use.
    Expected<void> load() {
        auto events = EventFile::open(m_folder.filePath(eventsName));
        if (!events)
            return tl::unexpected(events.error());
        m_events = std::move(*events);
        static const QRegularExpression shape(QStringLiteral("^(rank|node)-([0-9]{1,9})\\.columns$"));
        for (const QString& name : m_folder.entryList({QStringLiteral("*.columns")}, QDir::Files)) {
            const auto match = shape.match(name);
            if (!match.hasMatch())
                continue;
            const auto kind =
                match.captured(1) == QStringLiteral("rank") ? SeriesId::Source::Rank : SeriesId::Source::Node;
            auto source = Source::open(kind, m_folder.filePath(name));
            if (!source)
                return tl::unexpected(source.error());
            m_sources[{kind, match.captured(2).toInt()}] = std::move(*source);
        }
        std::map<Key, std::int64_t> counts;
        for (const StoredEvent& event : m_events->events())
            ++counts[{event.source, event.index}];
        for (const auto& [key, source] : m_sources)
            if (source->file().events() > counts[key])
                return fail({ErrorCode::Damaged,
                             {},
                             QStringLiteral("open ") + m_folder.path(),
                             QStringLiteral("events are missing"),
                             {}});
        return {};
    }

    Expected<void> makeAnew() {
        m_sources.clear();
        m_events.reset();
        for (const QString& name : m_folder.entryList({QStringLiteral("*.columns"), eventsName}, QDir::Files))
            m_folder.remove(name);
        return load();
    }

    Expected<void> append(SeriesId::Source kind, int index, const wire::MetricsLine& line) override {
        auto source = sourceOf(kind, index);
        if (!source)
            return tl::unexpected(source.error());
        const bool sample = kind == SeriesId::Source::Rank
                                ? std::holds_alternative<wire::StepLine>(line.body)
                                : std::holds_alternative<wire::NodeLine>(line.body);
        const bool foreign = !sample && (std::holds_alternative<wire::StepLine>(line.body) ||
                                         std::holds_alternative<wire::NodeLine>(line.body));
        if (foreign)
            return fail({ErrorCode::Damaged,
                         {},
                         QStringLiteral("store a line"),
                         QStringLiteral("a step in a node's file, or the reverse"),
                         {}});
        const auto added = sample ? (*source)->append(line) : m_events->append(kind, index, line);
        if (!added)
            return tl::unexpected(added.error());
        if (!*added)
            return {};
        ++m_revision;
        ColumnFile& file = (*source)->file();
        if (!sample)
            file.setEvents(file.events() + 1);
        touch(qint64(file.columnCount()) * qint64(sizeof(double)) * 3 / 2);
        return {};
    }

    qint64 position(SeriesId::Source kind, int index) const override {
        const Source* source = find(kind, index);
        return source ? source->file().position() : 0;
    }

    void setPosition(SeriesId::Source kind, int index, qint64 position) override {
        if (auto source = sourceOf(kind, index))
            (*source)->file().setPosition(position);
    }

    QList<int> sources(SeriesId::Source kind) const override {
        QList<int> indices;
        for (const auto& [key, source] : m_sources)
            if (key.first == kind && (source->file().rows() > 0 || source->file().events() > 0))
                indices.append(key.second);
        return indices;
    }

    QStringList metrics(SeriesId::Source kind, int index) const override {
        const Source* source = find(kind, index);
        return source ? source->metrics() : QStringList();
    }

    qint64 sampleCount(SeriesId::Source kind, int index) const override {
        const Source* source = find(kind, index);
        return source ? source->file().rows() : 0;
    }

    std::optional<wire::MetricsLine> latest(SeriesId::Source kind, int index) const override {
        const Source* source = find(kind, index);
        return source ? source->latest() : std::nullopt;
    }

    const QList<StoredEvent>& events() const override { return m_events->events(); }

    std::optional<std::pair<double, double>> extent(const SeriesId& series, Axis axis) const override {
        const Source* source = find(series.source, series.index);
        return source ? source->extent(series.metric, axis) : std::nullopt;
    }

    QList<Bin> bins(const SeriesId& series, Axis axis, double from, double to, int maxBins) const override {
        const Source* source = find(series.source, series.index);
        if (!source)
            return {};
        const auto result = source->bins(series.metric, axis, from, to, maxBins);
        touch(result.size() * 2 * pageSize);
        return result;
    }

    quint64 revision() const override { return m_revision; }

private:
    static inline const QString eventsName = QStringLiteral("events.jsonl");

    const Source* find(SeriesId::Source kind, int index) const {
        const auto found = m_sources.find({kind, index});
        return found == m_sources.end() ? nullptr : found->second.get();
    }

    Expected<Source*> sourceOf(SeriesId::Source kind, int index) {
        auto& source = m_sources[{kind, index}];
        if (!source) {
            const QString name = kind == SeriesId::Source::Rank ? QStringLiteral("rank-%1.columns")
                                                                : QStringLiteral("node-%1.columns");
            auto created = Source::create(kind, m_folder.filePath(name.arg(index)));
            if (!created) {
                m_sources.erase({kind, index});
                return tl::unexpected(created.error());
            }
            source = std::move(*created);
        }
        return source.get();
    }

    /// Pages that were read or written stay resident until somebody lets go of them: do it now and then, or
    /// the process would seem to grow with the run.
    void touch(qint64 bytes) const {
        m_touched += bytes;
        if (m_touched < residentLimit)
            return;
        m_touched = 0;
        for (const auto& [key, source] : m_sources)
            source->file().release();
    }

    std::unique_ptr<FolderLock> m_lock; ///< first: released after the files are closed
    QDir m_folder;
    std::map<Key, std::unique_ptr<Source>> m_sources;
    std::unique_ptr<EventFile> m_events;
    quint64 m_revision = 0;
    mutable qint64 m_touched = 0;
};

} // namespace

Expected<std::unique_ptr<MetricsStore>> MetricsStore::open(const QString& folder) {
    const QString tried = QStringLiteral("open the metrics in ") + folder;
    if (!QDir().mkpath(folder))
        return fail({ErrorCode::Failed, {}, tried, QStringLiteral("the folder cannot be made"), {}});
    auto lock = std::make_unique<FolderLock>(folder + QStringLiteral("/lock"));
    if (!lock->exists())
        return fail({ErrorCode::Permission, {}, tried, QStringLiteral("nothing can be written there"), {}});
    if (!lock->isHeld())
        return fail({ErrorCode::Conflict, {}, tried, QStringLiteral("another program has it open"), {}});
    auto store = std::make_unique<FileStore>(QDir(folder), std::move(lock));
    auto loaded = store->load();
    if (!loaded && loaded.error().code == ErrorCode::Damaged)
        loaded = store->makeAnew();
    if (!loaded)
        return tl::unexpected(loaded.error());
    return store;
}

} // namespace coxswain::core
