// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/hostkeyquestions.h"

#include <condition_variable>
#include <optional>

namespace coxswain::job {

using namespace std::chrono_literals;

struct HostKeyQuestions::Pending {
    std::condition_variable answered;
    std::optional<bool> accepted;
};

bool HostKeyQuestions::ask(const remote::HostKeyQuestion& question, const remote::CancelToken& cancel) {
    auto pending = std::make_shared<Pending>();
    std::unique_lock lock(m_mutex);
    const int id = m_next++;
    m_pending[id] = pending;
    QMetaObject::invokeMethod(
        this,
        [this, q = Question{id, question.host, question.keyType, question.fingerprint}] { emit asked(q); },
        Qt::QueuedConnection);
    while (!pending->accepted && !cancel.isCancelled())
        pending->answered.wait_for(lock, 100ms);
    m_pending.erase(id);
    return pending->accepted.value_or(false);
}

void HostKeyQuestions::answer(int id, bool accepted) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_pending.find(id);
    if (found == m_pending.end())
        return;
    found->second->accepted = accepted;
    found->second->answered.notify_all();
}

} // namespace coxswain::job
