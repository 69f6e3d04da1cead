// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace coxswain::tests {

/// A program that a test starts, in a session of its own; killed with all of it when the test lets go.
class Process {
public:
    /// Standard output and error go to `log`. Throws when it cannot be started.
    Process(std::vector<std::string> command, std::filesystem::path log);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// Exit status, or 128 + signal; nothing when it has not ended within `limit`.
    std::optional<int> wait(std::chrono::milliseconds limit);
    void signal(int number) const;
    std::string output() const;

private:
    std::filesystem::path m_log;
    pid_t m_pid = -1;
    std::optional<int> m_status;
};

/// False for a process that is gone or has ended and waits for its parent.
bool isAlive(pid_t pid);

/// Looks every 20 ms whether `condition` has come true.
template <class Condition>
bool waitUntil(std::chrono::milliseconds limit, Condition&& condition);

} // namespace coxswain::tests

#include <thread>

template <class Condition>
bool coxswain::tests::waitUntil(std::chrono::milliseconds limit, Condition&& condition) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}
