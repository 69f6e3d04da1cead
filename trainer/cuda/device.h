// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/dist/deviceplugin.h"

namespace coxswain::trainer {

/// The GPU of this process, by CUDA's runtime and torch's caching allocator.
class CudaDevice : public DevicePlugin {
public:
    /// Number of GPUs; throws TrainerError(NoDevice) with the driver's reason when there is none.
    static int count();

    void selectDevice(int index) override;
    std::string deviceName() const override;
    void synchronize() override;
    Memory memory() const override;
    std::unique_ptr<Communicator> createCommunicator(Communicator& bootstrap,
                                                     std::chrono::milliseconds limit) override;

private:
    int m_index = 0;
};

} // namespace coxswain::trainer
