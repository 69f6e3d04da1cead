// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/dist/deviceplugin.h"
#include "trainer/wire/metrics.h"

namespace coxswain::trainer {

/// Memory of this process and, where there is a plugin, of its device.
wire::MemoryUse memoryUse(const DevicePlugin* plugin);

/// Keeps freed memory in the process: by default glibc gives every large activation back to the kernel and
/// faults it in again, tens of thousands of page faults a step. Call first thing in main().
void keepFreedMemory();

} // namespace coxswain::trainer
