// SPDX-License-Identifier: Apache-2.0
#include "trainer/stopsignal.h"

#include <csignal>

namespace coxswain::trainer {
namespace {

volatile std::sig_atomic_t asked = 0;

void ask(int) {
    asked = 1;
}

} // namespace

StopSignal::StopSignal() {
    struct sigaction action {};
    action.sa_handler = ask;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR1, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

StopSignal::~StopSignal() {
    // SIGUSR1 that comes late must not kill a rank that has finished its work.
    ::signal(SIGUSR1, SIG_IGN);
    ::signal(SIGTERM, SIG_DFL);
}

bool StopSignal::requested() const {
    return asked != 0;
}

} // namespace coxswain::trainer
