// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace coxswain::trainer {

/// A thread that ends this process when something blocks for too long: a blocked MPI call cannot be
/// cancelled. On expiry `onExpired` gets what was armed (it writes the error line and aborts the job); when
/// it has returned, or two seconds later, the process ends with `exitStatus` at once, whatever its threads
/// hang in.
class Watchdog {
public:
    using OnExpired = std::function<void(const std::string& what, std::chrono::milliseconds limit)>;
    Watchdog(OnExpired onExpired, int exitStatus);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// While a Guard lives, `what` may take up to `limit`. Guards of several threads may live at the same
    /// time.
    class Guard {
    public:
        Guard(Watchdog& watchdog, std::string what, std::chrono::milliseconds limit);
        ~Guard();
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;

    private:
        friend class Watchdog;
        Watchdog& m_watchdog;
        std::string m_what;
        std::chrono::milliseconds m_limit;
        std::chrono::steady_clock::time_point m_expires;
    };

private:
    void watch();
    [[noreturn]] void expire(const std::string& what, std::chrono::milliseconds limit);

    OnExpired m_onExpired;
    const int m_exitStatus;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<Guard*> m_guards;
    std::chrono::steady_clock::time_point m_wakeAt = std::chrono::steady_clock::time_point::max();
    bool m_ending = false;
    std::thread m_thread;
};

} // namespace coxswain::trainer
