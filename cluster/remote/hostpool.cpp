// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/hostpool.h"

#include <QThread>

namespace coxswain::remote {

/// The thread of one host. `anchor` lives in it, so that calls can be queued; the session is made, used and
/// destroyed there.
struct HostPool::Worker {
    QThread thread;
    QObject anchor;
    std::unique_ptr<HostSession> session;
    QList<CancelToken> tokens; ///< of the pool's thread
};

HostPool::HostPool(RemoteOptions options, QObject* parent) : QObject(parent), m_options(std::move(options)) {}

HostPool::~HostPool() {
    for (auto& [name, worker] : m_workers) {
        for (const auto& token : worker->tokens)
            token.cancel();
        QMetaObject::invokeMethod(
            &worker->anchor, [w = worker.get()] { w->session.reset(); }, Qt::QueuedConnection);
        worker->thread.quit();
    }
    for (auto& [name, worker] : m_workers) {
        // Every wait of a worker looks at its token: this ends within a second or so.
        if (!worker->thread.wait(10'000)) {
            qWarning("the worker of %s does not end", qPrintable(name));
            worker.release(); // better a leak than a thread that is pulled from under libssh
        }
    }
}

void HostPool::post(const core::HostName& host, const CancelToken& token,
                    std::function<void(HostSession&)> work) {
    auto& worker = m_workers[host.toString()];
    if (!worker) {
        worker = std::make_unique<Worker>();
        worker->session = std::make_unique<HostSession>(host, m_options);
        worker->anchor.moveToThread(&worker->thread);
        worker->thread.setObjectName(host.toString());
        worker->thread.start();
    }
    worker->tokens.removeIf([](const CancelToken& old) { return old.isCancelled(); });
    worker->tokens.append(token);
    QMetaObject::invokeMethod(
        &worker->anchor,
        [this, w = worker.get(), token, work = std::move(work)] {
            work(*w->session);
            deliver([w, token] {
                w->tokens.removeIf(
                    [&](const CancelToken& t) { return t.descriptor() == token.descriptor(); });
            });
        },
        Qt::QueuedConnection);
}

void HostPool::cancel(const core::HostName& host) {
    const auto found = m_workers.find(host.toString());
    if (found == m_workers.end())
        return;
    for (const auto& token : found->second->tokens)
        token.cancel();
}

void HostPool::deliver(std::function<void()> action) {
    QMetaObject::invokeMethod(this, std::move(action), Qt::QueuedConnection);
}

} // namespace coxswain::remote
