// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/limits.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace coxswain::remote {

struct CancelToken::State {
    std::atomic<bool> cancelled{false};
    int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ~State() { ::close(event); }
};

CancelToken::CancelToken() : m_state(std::make_shared<State>()) {}

void CancelToken::cancel() const {
    m_state->cancelled = true;
    ::eventfd_write(m_state->event, 1); // stays readable: nobody reads it
}

bool CancelToken::isCancelled() const {
    return m_state->cancelled;
}

int CancelToken::descriptor() const {
    return m_state->event;
}

} // namespace coxswain::remote
