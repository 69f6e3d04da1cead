// SPDX-License-Identifier: Apache-2.0
#include "trainer/cuda/device.h"

#include "trainer/cuda/check.h"
#include "trainer/cuda/nccl.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

namespace coxswain::trainer {
namespace {

/// CUDA's 13020 is 13.2.
std::string versionText(int version) {
    return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

} // namespace

int CudaDevice::count() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    int driver = 0;
    // CUDA has one error for "no driver" and "an old driver"; the driver's version tells them apart.
    if (status == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess)
        throw TrainerError(wire::ExitCode::NoDevice,
                           driver == 0
                               ? "no NVIDIA driver is installed (there is no libcuda.so.1)"
                               : "the NVIDIA driver is too old: it knows CUDA " + versionText(driver) +
                                     ", this runtime needs " + versionText(CUDART_VERSION));
    checkCuda(status, "cudaGetDeviceCount", wire::ExitCode::NoDevice);
    return count;
}

void CudaDevice::selectDevice(int index) {
    const int devices = count();
    if (index >= devices)
        throw TrainerError(wire::ExitCode::NoDevice, "local rank " + std::to_string(index) + " needs GPU " +
                                                         std::to_string(index) + ", but this node shows " +
                                                         std::to_string(devices) +
                                                         " (CUDA_VISIBLE_DEVICES?)");
    m_index = index;
    checkCuda(cudaSetDevice(index), "cudaSetDevice", wire::ExitCode::NoDevice);
    at::globalContext().lazyInitDevice(at::kCUDA);
    c10::cuda::set_device(static_cast<c10::DeviceIndex>(index));
}

std::string CudaDevice::deviceName() const {
    cudaDeviceProp properties{};
    checkCuda(cudaGetDeviceProperties(&properties, m_index), "cudaGetDeviceProperties");
    return std::to_string(m_index) + ' ' + properties.name;
}

void CudaDevice::synchronize() {
    checkCuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

DevicePlugin::Memory CudaDevice::memory() const {
    constexpr auto all = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    const auto stats =
        c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(m_index));
    std::size_t free = 0;
    std::size_t total = 0;
    checkCuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return {stats.allocated_bytes[all].current, stats.reserved_bytes[all].current,
            static_cast<std::int64_t>(total - free), static_cast<std::int64_t>(total)};
}

std::unique_ptr<Communicator> CudaDevice::createCommunicator(Communicator& bootstrap,
                                                             std::chrono::milliseconds limit) {
    return makeNcclCommunicator(bootstrap, limit);
}

} // namespace coxswain::trainer
