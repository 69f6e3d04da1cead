// SPDX-License-Identifier: Apache-2.0
#include "trainer/cuda/device.h"

#include "trainer/dist/errors.h"

extern "C" __attribute__((visibility("default"))) coxswain::trainer::DevicePlugin*
coxswainCreateCudaPlugin(std::string* error) {
    using namespace coxswain::trainer;
    try {
        if (CudaDevice::count() > 0)
            return new CudaDevice;
        *error = "the driver works, but shows no device";
    } catch (const TrainerError& failure) {
        *error = failure.what();
    }
    return nullptr;
}

static_assert(std::is_same_v<decltype(&coxswainCreateCudaPlugin), coxswain::trainer::CreateCudaPlugin>);
