// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/remote/options.h"

#include <QObject>

#include <map>
#include <memory>
#include <mutex>

namespace coxswain::job {

/// Carries questions about unknown host keys from workers to a person and the answers back. A worker waits
/// meanwhile; nothing else does.
class HostKeyQuestions : public QObject {
    Q_OBJECT
public:
    struct Question {
        int id = 0;
        core::HostName host;
        QString keyType;
        QString fingerprint;
    };

    using QObject::QObject;

    /// For RemoteOptions: asks, and waits for answer() or the token. Call from workers only.
    bool ask(const remote::HostKeyQuestion& question, const remote::CancelToken& cancel);

    /// From the GUI thread. Answers to questions that nobody waits for any more are ignored.
    void answer(int id, bool accepted);

signals:
    /// In the GUI thread.
    void asked(const coxswain::job::HostKeyQuestions::Question& question);

private:
    struct Pending;
    std::mutex m_mutex;
    int m_next = 1;
    std::map<int, std::shared_ptr<Pending>> m_pending;
};

} // namespace coxswain::job
