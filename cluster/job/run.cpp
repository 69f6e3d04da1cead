// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/run.h"

#include "trainer/wire/layout.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>

namespace coxswain::job {
namespace {

using Source = core::SeriesId::Source;

/// Appends what the store has not got yet of one metrics file; lines that make no sense are counted in
/// `damaged`.
core::Expected<void> readMetricsFile(const QString& path, Source source, int index, core::MetricsStore& store,
                                     int& damaged) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || !file.seek(std::min(store.position(source, index), file.size())))
        return {};
    while (!file.atEnd()) {
        const QByteArray text = file.readLine(64 << 20);
        if (!text.endsWith('\n'))
            break; // cut off; the rest comes when the run is followed
        const auto line =
            wire::parseMetricsLine({text.constData(), static_cast<std::size_t>(text.size() - 1)});
        if (!line && text.size() > 1)
            ++damaged;
        else if (line && *line)
            if (auto kept = store.append(source, index, **line); !kept)
                return kept;
        store.setPosition(source, index, file.pos());
    }
    return {};
}

} // namespace

Run::Run(RunFolder folder, RunSnapshot snapshot, std::unique_ptr<core::MetricsStore> store)
    : m_folder(std::move(folder)), m_snapshot(std::move(snapshot)), m_store(std::move(store)) {
    m_snapshot.folder = m_folder.path();
}

Run::~Run() = default;

core::Expected<void> Run::fillStore(const RunFolder& folder, core::MetricsStore& store, int* damaged) {
    static const QRegularExpression name(QStringLiteral("^(rank|node)-([0-9]{1,6})\\.jsonl$"));
    int bad = 0;
    for (const auto& entry : QDir(folder.path()).entryList({QStringLiteral("*.jsonl")}, QDir::Files)) {
        const auto match = name.match(entry);
        if (!match.hasMatch())
            continue;
        const auto source = match.captured(1) == QLatin1String("rank") ? Source::Rank : Source::Node;
        if (auto read = readMetricsFile(folder.file(entry), source, match.captured(2).toInt(), store, bad);
            !read)
            return read;
    }
    if (damaged)
        *damaged = bad;
    return {};
}

core::Expected<std::unique_ptr<core::MetricsStore>> Run::openStore(const RunFolder& folder) {
    return core::MetricsStore::open(folder.file(QStringLiteral("store")));
}

core::Expected<std::unique_ptr<Run>> Run::openFolder(const RunFolder& folder) {
    auto record = folder.record();
    if (!record)
        return core::fail(record.error());
    auto store = openStore(folder);
    std::unique_ptr<QTemporaryDir> own;
    if (!store && store.error().code == core::ErrorCode::Conflict) {
        // Another program follows the run: look at it with a store of our own.
        own = std::make_unique<QTemporaryDir>();
        store = core::MetricsStore::open(own->path());
    }
    if (!store)
        return core::fail(store.error());
    if (auto filled = fillStore(folder, **store, nullptr); !filled)
        return core::fail(filled.error());
    RunSnapshot snapshot;
    snapshot.record = std::move(*record);
    snapshot.state.phase = core::Phase::Ended;
    snapshot.state.outcome = snapshot.record.outcome;
    snapshot.state.errors = snapshot.record.errors;
    snapshot.step = snapshot.record.steps;
    snapshot.steps = snapshot.record.plan.spec.train.steps;
    for (const auto& node : snapshot.record.plan.nodes)
        snapshot.nodes.append({node.host, NodeProgress::Link::None, 0, 0, 0, {}});
    std::unique_ptr<Run> run(new Run(folder, std::move(snapshot), std::move(*store)));
    run->m_ownStore = std::move(own);
    QFile log(folder.file(QStringLiteral("mpirun.log")));
    if (log.open(QIODevice::ReadOnly))
        run->m_log = log.readAll();
    return run;
}

} // namespace coxswain::job
