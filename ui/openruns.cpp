// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/openruns.h"

namespace coxswain::ui {
namespace {

bool follows(const job::Run& run) {
    return run.snapshot().live && run.snapshot().state.phase != core::Phase::Ended;
}

} // namespace

OpenRuns::OpenRuns(job::Runs& runs, QObject* parent) : QObject(parent), m_runs(runs) {}
OpenRuns::~OpenRuns() = default;

core::Expected<job::Run*> OpenRuns::start(const wire::JobSpec& spec, const QString& jobFolder,
                                          const QList<core::HostName>& hosts) {
    auto run = m_runs.start(spec, jobFolder, hosts);
    if (!run)
        return core::fail(run.error());
    return keep(std::move(*run));
}

core::Expected<job::Run*> OpenRuns::open(const QString& id, QString* note) {
    if (job::Run* held = find(id); held && follows(*held))
        return held;
    std::erase_if(m_open, [&](const auto& run) { return run->snapshot().record.id == id; });
    auto run = m_runs.attach(id);
    if (!run && run.error().code == core::ErrorCode::Conflict) {
        *note = tr("%1. What it has written so far is shown.").arg(run.error().seen);
        run = m_runs.open(id);
    }
    if (!run)
        return core::fail(run.error());
    return keep(std::move(*run));
}

job::Run* OpenRuns::find(const QString& id) const {
    for (const auto& run : m_open)
        if (run->snapshot().record.id == id)
            return run.get();
    return nullptr;
}

bool OpenRuns::isFollowed(const QString& id) const {
    const job::Run* run = find(id);
    return run && follows(*run);
}

void OpenRuns::releaseEnded(const job::Run* shown) {
    std::erase_if(m_open, [&](const auto& run) { return run.get() != shown && !follows(*run); });
}

job::Run* OpenRuns::keep(std::unique_ptr<job::Run> run) {
    m_open.push_back(std::move(run));
    return m_open.back().get();
}

} // namespace coxswain::ui
