// SPDX-License-Identifier: Apache-2.0
#include "trainer/dist/communicator.h"

namespace coxswain::trainer {

std::size_t sizeOf(DataType type) {
    switch (type) {
    case DataType::Float32:
        return 4;
    case DataType::Float64:
        return 8;
    case DataType::BFloat16:
        return 2;
    case DataType::Float16:
        return 2;
    case DataType::Int64:
        return 8;
    case DataType::UInt8:
        return 1;
    }
    return 1;
}

} // namespace coxswain::trainer
