// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/dist/errors.h"

#include <cuda_runtime_api.h>

#include <string>

namespace coxswain::trainer {

/// Every CUDA call goes through here: the error names the call and CUDA's own word for what happened.
inline void checkCuda(cudaError_t status, const char* call, wire::ExitCode code = wire::ExitCode::Internal) {
    if (status == cudaSuccess)
        return;
    if (status == cudaErrorMemoryAllocation)
        code = wire::ExitCode::OutOfMemory;
    throw TrainerError(code, std::string(call) + ": " + cudaGetErrorName(status) + ": " +
                                 cudaGetErrorString(status));
}

} // namespace coxswain::trainer
