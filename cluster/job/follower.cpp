// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/follower.h"

#include "trainer/wire/layout.h"

namespace coxswain::job {
namespace {

using namespace std::chrono_literals;

/// How long the agent waits for news before it answers: also the longest that a stop request waits for its
/// turn.
constexpr int waitMilliseconds = 250;
/// An agent that does not answer a poll for this long is called lost (the run goes on).
constexpr auto silence = 6s;

QString inJob(const QString& jobId, const QString& name) {
    return QLatin1StringView(wire::layout::jobsFolder) + QLatin1Char('/') + jobId + QLatin1Char('/') + name;
}

void parseLines(FileLines& file) {
    if (!file.name.endsWith(QLatin1String(".jsonl")))
        return;
    for (qsizetype at = 0; at < file.bytes.size();) {
        auto end = file.bytes.indexOf('\n', at);
        if (end < 0)
            end = file.bytes.size();
        const std::string_view text(file.bytes.constData() + at, static_cast<std::size_t>(end - at));
        at = end + 1;
        if (text.empty())
            continue;
        auto line = wire::parseMetricsLine(text);
        if (!line)
            ++file.damaged;
        else if (*line)
            file.lines.push_back(std::move(**line));
    }
}

} // namespace

Follower::Follower(remote::HostPool& pool, core::HostName host, QString jobId, QList<FollowedFile> files,
                   bool withState, QObject* parent)
    : QObject(parent), m_pool(pool), m_host(std::move(host)), m_jobId(std::move(jobId)),
      m_files(std::move(files)), m_withState(withState) {
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this, &Follower::poll);
}

void Follower::start() {
    poll();
}

void Follower::drain() {
    m_draining = true;
    if (m_connected)
        return; // the poll that is under way is followed by the last ones
    m_retry.stop();
    finish();
}

void Follower::finish() {
    m_stopped = true;
    emit drained();
}

core::Expected<Follower::News> Follower::look(remote::HostSession& session, const remote::CancelToken& cancel,
                                              const QString& jobId, const QList<FollowedFile>& files,
                                              bool withState, int wait) {
    const auto agent = session.agent(cancel);
    if (!agent)
        return core::fail(agent.error());
    QList<remote::RemoteFile> wanted;
    for (const auto& file : files)
        wanted.append({inJob(jobId, file.name), file.offset, 1 << 20});
    const auto limits = [&] { return remote::HostSession::within(silence, cancel); };
    auto read = (*agent)->read(wanted, wait, limits());
    if (!read)
        return core::fail(read.error());
    News news;
    for (qsizetype i = 0; i < files.size(); ++i) {
        FileLines lines{files[i].name, files[i].offset, (*read)[i].bytes, {}, 0};
        parseLines(lines);
        news.files.append(std::move(lines));
    }
    if (!withState)
        return news;
    const QString stateFile = inJob(jobId, QLatin1StringView(wire::layout::stateFile));
    const auto state = (*agent)->read({{stateFile, 0, 1 << 16}}, 0, limits());
    if (!state)
        return core::fail(state.error());
    news.stateAbsent = state->first().absent;
    if (auto parsed = wire::parseSupervisorState(state->first().bytes.toStdString()))
        news.state = *parsed;
    return news;
}

void Follower::poll() {
    m_pool.run<News>(
        m_host,
        [jobId = m_jobId, files = m_files, withState = m_withState, wait = m_draining ? 0 : waitMilliseconds](
            remote::HostSession& session, const remote::CancelToken& cancel) {
            return look(session, cancel, jobId, files, withState, wait);
        },
        this, [this](const core::Expected<News>& news) { take(news); });
}

void Follower::take(const core::Expected<News>& news) {
    if (m_stopped)
        return;
    if (!news) {
        if (m_connected || m_failures == 0)
            emit connectionChanged(false, news.error());
        m_connected = false;
        ++m_failures;
        if (m_draining)
            return finish();
        m_retry.start(std::min(15'000, 500 << std::min(m_failures, 5)));
        return;
    }
    if (!m_connected)
        emit connectionChanged(true, {});
    m_connected = true;
    m_failures = 0;
    bool some = false;
    for (const auto& lines : news->files) {
        if (lines.bytes.isEmpty())
            continue;
        some = true;
        for (auto& file : m_files)
            if (file.name == lines.name)
                file.offset += lines.bytes.size();
        emit received(lines);
    }
    if (news->state)
        emit stateSeen(*news->state);
    else if (news->stateAbsent)
        emit stateAbsent();
    if (m_draining && !some)
        return finish();
    poll();
}

} // namespace coxswain::job
