// SPDX-License-Identifier: Apache-2.0
#include "trainer/train/memory.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <limits>

namespace coxswain::trainer {

wire::MemoryUse memoryUse(const DevicePlugin* plugin) {
    wire::MemoryUse use;
    std::int64_t size = 0;
    std::int64_t resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    use.resident = resident * ::sysconf(_SC_PAGESIZE);
    if (plugin) {
        const auto device = plugin->memory();
        use.gpuAllocated = device.allocated;
        use.gpuReserved = device.reserved;
        use.gpuUsed = device.used;
        use.gpuTotal = device.total;
    }
    return use;
}

void keepFreedMemory() {
    ::mallopt(M_MMAP_MAX, 0);
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    ::mallopt(M_TOP_PAD, 64 << 20);
}

} // namespace coxswain::trainer
