// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/dist/communicator.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace coxswain::trainer {

/// What the trainer needs of GPUs. The only implementation is libcoxswain-cuda.so (trainer/cuda), loaded when
/// the job's runtime asks for it, so that the trainer itself runs where no NVIDIA library is.
class DevicePlugin {
public:
    virtual ~DevicePlugin() = default;

    /// Chooses GPU `index` for this process and starts it. Throws TrainerError(NoDevice) with the reason.
    virtual void selectDevice(int index) = 0;
    /// "NVIDIA A100-SXM4-80GB"
    virtual std::string deviceName() const = 0;
    /// Waits for all that was launched on the device: before a clock is read.
    virtual void synchronize() = 0;

    struct Memory {
        std::int64_t allocated = 0; ///< by tensors, bytes
        std::int64_t reserved = 0;  ///< by the caching allocator, bytes
        std::int64_t used = 0;      ///< of the device, all processes, bytes
        std::int64_t total = 0;
    };
    virtual Memory memory() const = 0;

    /// NCCL over the selected devices; `bootstrap` carries the unique id. Collective. A call that takes
    /// longer than `limit` is aborted and throws DeadlineError.
    virtual std::unique_ptr<Communicator> createCommunicator(Communicator& bootstrap,
                                                             std::chrono::milliseconds limit) = 0;
};

/// Loads libcoxswain-cuda.so from the trainer's own folder or ../lib and asks for a device count. Throws
/// TrainerError(NoDevice) that says which step failed: the library, the driver, or no device.
std::unique_ptr<DevicePlugin> loadCudaPlugin();

/// The plugin's one exported symbol. Returns nullptr and sets `error` where no GPU works.
inline constexpr const char* cudaPluginSymbol = "coxswainCreateCudaPlugin";
using CreateCudaPlugin = DevicePlugin* (*)(std::string* error);

} // namespace coxswain::trainer
