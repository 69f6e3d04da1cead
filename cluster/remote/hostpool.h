// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/remote/hostsession.h"

#include <QHash>
#include <QObject>
#include <QPointer>

#include <functional>
#include <map>

class QThread;

namespace coxswain::remote {

/// One worker thread for each host, which owns its connection. Lives in the GUI thread; nothing here blocks.
class HostPool : public QObject {
    Q_OBJECT
public:
    explicit HostPool(RemoteOptions options, QObject* parent = nullptr);
    /// Cancels everything and waits for the workers, a few seconds at most.
    ~HostPool() override;

    const RemoteOptions& options() const { return m_options; }

    /// Queues `work` for the host's worker; `done` gets the result in this thread, unless `context` is gone
    /// by then. The token cancels this piece of work, before it begins or in the middle.
    template <class T>
    CancelToken run(const core::HostName& host,
                    std::function<core::Expected<T>(HostSession&, const CancelToken&)> work, QObject* context,
                    std::function<void(core::Expected<T>)> done) {
        const CancelToken token;
        QPointer<QObject> receiver(context);
        post(host, token,
             [this, token, receiver, work = std::move(work), done = std::move(done)](HostSession& session) {
                 auto result = token.isCancelled()
                                   ? core::Expected<T>(core::fail({core::ErrorCode::Cancelled,
                                                                   session.host().toString(),
                                                                   {},
                                                                   QStringLiteral("cancelled"),
                                                                   {}}))
                                   : work(session, token);
                 if (!result)
                     session.dropIfBroken(result.error());
                 deliver([receiver, done, result = std::move(result)] {
                     if (receiver)
                         done(result);
                 });
             });
        return token;
    }

    /// Cancels all that is queued or under way for this host.
    void cancel(const core::HostName& host);

private:
    struct Worker;
    void post(const core::HostName& host, const CancelToken& token, std::function<void(HostSession&)> work);
    void deliver(std::function<void()> action);

    RemoteOptions m_options;
    std::map<QString, std::unique_ptr<Worker>> m_workers;
};

} // namespace coxswain::remote
