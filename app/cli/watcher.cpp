// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/watcher.h"

#include "app/cli/output.h"
#include "cluster/job/json.h"

#include <QEventLoop>

#include <csignal>
#include <sys/signalfd.h>
#include <unistd.h>

namespace coxswain::cli {
namespace {

using core::Phase;
using Link = job::NodeProgress::Link;

/// SIGINT as something to read; whatever else a shell may send keeps its meaning.
int interruptDescriptor() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

QString phaseWords(Phase phase) {
    switch (phase) {
    case Phase::Connect:
        return QStringLiteral("connecting");
    case Phase::Check:
        return QStringLiteral("checking");
    case Phase::Sync:
        return QStringLiteral("syncing");
    case Phase::Launch:
        return QStringLiteral("launching");
    case Phase::FirstStep:
        return QStringLiteral("waiting for the first step");
    case Phase::Train:
        return QStringLiteral("training");
    case Phase::Stop:
        return QStringLiteral("stopping");
    case Phase::Clean:
        return QStringLiteral("collecting the rest and verifying that the nodes are clean");
    default:
        return {};
    }
}

} // namespace

Watcher::Watcher(job::Run& run, Until until, QObject* parent)
    : QObject(parent), m_run(run), m_until(until), m_signal(interruptDescriptor(), QSocketNotifier::Read) {
    connect(&m_run, &job::Run::snapshotChanged, this, &Watcher::look);
    connect(&m_signal, &QSocketNotifier::activated, this, &Watcher::interrupted);
}

bool Watcher::wait() {
    QEventLoop loop;
    const auto done = [&] {
        const Phase phase = m_run.snapshot().state.phase;
        return phase == Phase::Ended || m_left ||
               (m_until == Until::Launched && phase >= Phase::FirstStep && phase < Phase::Clean);
    };
    const auto quitWhenDone = [&] {
        if (done())
            loop.quit();
    };
    connect(&m_run, &job::Run::snapshotChanged, &loop, quitWhenDone);
    connect(&m_run, &job::Run::ended, &loop, &QEventLoop::quit);
    connect(&m_signal, &QSocketNotifier::activated, &loop, quitWhenDone);
    look();
    if (!done())
        loop.exec();
    look();
    return m_run.snapshot().state.phase == Phase::Ended;
}

void Watcher::look() {
    showPhases();
    showSync();
    showSteps();
    showEvents();
}

void Watcher::showPhases() {
    const auto& phases = m_run.snapshot().phases;
    for (; m_phases < phases.size(); ++m_phases) {
        if (m_phases > 0 && phases[m_phases - 1].milliseconds >= 0 &&
            phases[m_phases - 1].phase < Phase::Train)
            say(QStringLiteral("  %1 took %2")
                    .arg(phaseWords(phases[m_phases - 1].phase),
                         durationText(static_cast<double>(phases[m_phases - 1].milliseconds) / 1000)));
        if (const QString words = phaseWords(phases[m_phases].phase); !words.isEmpty())
            say(words + QStringLiteral(" …"));
        m_sinceLine.invalidate();
    }
    for (int i = 0; i < m_run.snapshot().nodes.size(); ++i) {
        const auto& node = m_run.snapshot().nodes[i];
        if (m_links.value(i, Link::None) != node.link && node.link == Link::Reconnecting)
            say(QStringLiteral("%1: reconnecting (%2)").arg(node.host.toString(), node.note));
        else if (m_links.value(i, Link::None) == Link::Reconnecting && node.link == Link::Connected)
            say(QStringLiteral("%1: connected again").arg(node.host.toString()));
        m_links[i] = node.link;
    }
}

void Watcher::showSync() {
    const auto& snapshot = m_run.snapshot();
    if (snapshot.state.phase != Phase::Sync || (m_sinceLine.isValid() && m_sinceLine.elapsed() < 1000))
        return;
    m_sinceLine.start();
    for (const auto& node : snapshot.nodes) {
        if (node.bytesTotal == 0)
            continue;
        const qint64 left = node.bytesTotal - node.bytesDone;
        say(QStringLiteral("  %1 %2 of %3%4")
                .arg(node.host.toString(), -16)
                .arg(sizeText(node.bytesDone), sizeText(node.bytesTotal),
                     left > 0 && node.bytesPerSecond > 0
                         ? QStringLiteral(", %1/s, %2 left")
                               .arg(sizeText(static_cast<qint64>(node.bytesPerSecond)),
                                    durationText(static_cast<double>(left) / node.bytesPerSecond))
                         : QString()));
    }
}

void Watcher::showSteps() {
    const auto& snapshot = m_run.snapshot();
    const bool last = snapshot.step == snapshot.steps || snapshot.state.phase >= Phase::Clean;
    if (snapshot.step <= m_shownStep || snapshot.state.phase < Phase::Train ||
        (!last && m_sinceLine.isValid() && m_sinceLine.elapsed() < 2000))
        return;
    m_sinceLine.start();
    m_shownStep = snapshot.step;
    QString line = QStringLiteral("  step %1/%2  loss %3")
                       .arg(snapshot.step)
                       .arg(snapshot.steps)
                       .arg(lossText(snapshot.record.lastLoss));
    if (snapshot.tokensPerSecond >= 0)
        line += QStringLiteral("  %1 tokens/s").arg(snapshot.tokensPerSecond, 0, 'f', 0);
    if (snapshot.secondsLeft > 0)
        line += QStringLiteral("  %1 left").arg(durationText(snapshot.secondsLeft));
    say(line);
}

void Watcher::showEvents() {
    const auto& events = m_run.store().events();
    for (; m_events < events.size(); ++m_events) {
        const auto& stored = events[m_events];
        const QString rank = QStringLiteral("  rank %1: ").arg(stored.index);
        if (const auto* event = std::get_if<wire::EventLine>(&stored.body))
            say(rank + QStringLiteral("%1 at step %2: %3")
                           .arg(QString::fromStdString(event->event))
                           .arg(event->step)
                           .arg(QString::fromStdString(event->message)));
        else if (const auto* error = std::get_if<wire::ErrorLine>(&stored.body))
            say(rank + QStringLiteral("error: ") + QString::fromStdString(error->message));
    }
}

void Watcher::interrupted() {
    signalfd_siginfo info{};
    if (::read(static_cast<int>(m_signal.socket()), &info, sizeof info) != sizeof info)
        return;
    ++m_interrupts;
    if (m_interrupts == 1 && m_run.canStop()) {
        say(QStringLiteral("stopping: the model is saved, then the run ends (Ctrl-C again: end now)"));
        m_run.stop(false);
    } else if (m_run.canEndNow() && m_interrupts <= 2) {
        say(QStringLiteral("ending now (Ctrl-C again: leave it alone)"));
        m_run.stop(true);
    } else {
        m_left = true;
    }
}

void printSummary(const job::RunSnapshot& snapshot) {
    const auto& record = snapshot.record;
    if (record.failure) {
        print(QStringLiteral("FAILED: ") + record.failure->headline);
        if (!record.failure->detail.isEmpty())
            print(QStringLiteral("  ") + record.failure->detail);
        if (!record.failure->fix.isEmpty())
            print(QStringLiteral("  fix: ") + record.failure->fix);
        for (const auto& line : record.failure->consequences.mid(0, 5))
            print(QStringLiteral("  then: ") + line);
    }
    for (const auto& error : record.errors)
        if (!record.failure || &error != &record.errors.first())
            print(QStringLiteral("error: ") + error.text());
    print(QStringLiteral("run %1 %2: %3 ranks, %4 steps, loss %5 → %6")
              .arg(record.id, stateText(record))
              .arg(record.plan.worldSize)
              .arg(record.steps)
              .arg(lossText(record.firstLoss), lossText(record.lastLoss)));
    if (!record.model.isEmpty())
        print(QStringLiteral("  model  ") + record.model);
    print(QStringLiteral("  folder ") + snapshot.folder);
    QStringList clean;
    for (const auto& node : snapshot.nodes)
        if (node.link == job::NodeProgress::Link::Clean)
            clean += node.host.toString();
    if (!clean.isEmpty())
        print(QStringLiteral("  verified clean: ") + clean.join(QStringLiteral(", ")));
}

int finish(const job::Run& run, bool ended, bool asJson) {
    const auto& snapshot = run.snapshot();
    if (asJson) {
        auto object = toJson(snapshot.record);
        object["folder"] = job::text(snapshot.folder);
        printJson(object);
    } else if (ended) {
        printSummary(snapshot);
    } else {
        print(QStringLiteral("run %1 goes on; 'coxswain-cli attach %1' follows it").arg(snapshot.record.id));
    }
    const bool worked = !ended || snapshot.record.outcome == core::Outcome::Finished ||
                        snapshot.record.outcome == core::Outcome::Stopped;
    return worked ? 0 : 1;
}

} // namespace coxswain::cli
