// SPDX-License-Identifier: Apache-2.0
#include "trainer/dist/watchdog.h"

#include <unistd.h>

#include <algorithm>

namespace coxswain::trainer {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

Watchdog::Watchdog(OnExpired onExpired, int exitStatus)
    : m_onExpired(std::move(onExpired)), m_exitStatus(exitStatus), m_thread([this] { watch(); }) {}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
        m_changed.notify_all();
    }
    m_thread.join();
}

void Watchdog::watch() {
    std::unique_lock lock(m_mutex);
    while (!m_ending) {
        // Guards come and go by the thousand: sleep until the earliest deadline known, and look again then.
        const auto earliest =
            std::min_element(m_guards.begin(), m_guards.end(),
                             [](const Guard* a, const Guard* b) { return a->m_expires < b->m_expires; });
        m_wakeAt = earliest == m_guards.end() ? Clock::time_point::max() : (*earliest)->m_expires;
        if (earliest == m_guards.end()) {
            m_changed.wait(lock);
            continue;
        }
        if (Clock::now() >= m_wakeAt) {
            const std::string what = (*earliest)->m_what;
            const auto limit = (*earliest)->m_limit;
            lock.unlock();
            expire(what, limit);
        }
        m_changed.wait_until(lock, m_wakeAt);
    }
}

void Watchdog::expire(const std::string& what, std::chrono::milliseconds limit) {
    std::thread([status = m_exitStatus] {
        std::this_thread::sleep_for(2s);
        ::_exit(status);
    }).detach();
    m_onExpired(what, limit);
    ::_exit(m_exitStatus);
}

Watchdog::Guard::Guard(Watchdog& watchdog, std::string what, std::chrono::milliseconds limit)
    : m_watchdog(watchdog), m_what(std::move(what)), m_limit(limit), m_expires(Clock::now() + limit) {
    const std::lock_guard lock(watchdog.m_mutex);
    watchdog.m_guards.push_back(this);
    if (m_expires < watchdog.m_wakeAt)
        watchdog.m_changed.notify_all();
}

Watchdog::Guard::~Guard() {
    const std::lock_guard lock(m_watchdog.m_mutex);
    std::erase(m_watchdog.m_guards, this);
}

} // namespace coxswain::trainer
