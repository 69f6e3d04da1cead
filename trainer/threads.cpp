// SPDX-License-Identifier: Apache-2.0
#include "trainer/threads.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <sched.h>

#include <algorithm>
#include <string_view>

namespace coxswain::trainer {

void useThreads(int threads, int ranksOnHost) {
    if (threads <= 0) {
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        const int cores = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
        threads = std::max(1, cores / std::max(1, ranksOnHost));
    }
    at::set_num_threads(threads);
    at::set_num_interop_threads(1);
}

wire::ExitCode exitCodeOf(const std::exception& error) {
    const bool memory = dynamic_cast<const c10::OutOfMemoryError*>(&error) ||
                        std::string_view(error.what()).find("DefaultCPUAllocator: can't allocate memory") !=
                            std::string_view::npos;
    return memory ? wire::ExitCode::OutOfMemory : wire::ExitCode::Internal;
}

} // namespace coxswain::trainer
