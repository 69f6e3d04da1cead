// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>

namespace coxswain::remote {

/// Tells a worker that nobody waits for its answer any more. Copies share the state; any thread may cancel.
/// The descriptor becomes readable then, so that a poll() wakes up.
class CancelToken {
public:
    CancelToken();
    void cancel() const;
    bool isCancelled() const;
    int descriptor() const;

private:
    struct State;
    std::shared_ptr<State> m_state;
};

/// An instant on the steady clock.
class Deadline {
public:
    explicit Deadline(std::chrono::milliseconds fromNow) : m_at(Clock::now() + fromNow) {}
    bool hasPassed() const { return Clock::now() >= m_at; }
    /// Milliseconds left, at most `most`, for poll().
    int left(int most = 1 << 30) const {
        const auto ms = std::chrono::ceil<std::chrono::milliseconds>(m_at - Clock::now()).count();
        return static_cast<int>(std::clamp<long long>(ms, 0, most));
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point m_at;
};

/// How long an operation may take, and who may end it before.
struct Limits {
    Deadline deadline;
    CancelToken cancel;
};

} // namespace coxswain::remote
