// SPDX-License-Identifier: Apache-2.0
#include "trainer/train/agreement.h"

#include "trainer/dist/errors.h"
#include "trainer/train/gradientbuckets.h"
#include "trainer/wire/sha256.h"

#include <torch/torch.h>

#include <array>
#include <cstring>

namespace coxswain::trainer {
namespace {

constexpr std::size_t hostBytes = 64;
constexpr std::size_t digestBytes = 64;

} // namespace

std::string digestOf(const std::vector<Parameter>& tensors) {
    const at::NoGradGuard noGrad;
    wire::Sha256 hash;
    for (const auto& [name, tensor] : tensors) {
        hash.update(name);
        for (const auto size : tensor.sizes())
            hash.update(&size, sizeof size);
        const at::Tensor here = tensor.detach().to(at::kCPU).contiguous();
        hash.update(here.const_data_ptr(), here.nbytes());
    }
    return hash.hexDigest();
}

void broadcastTensors(const std::vector<Parameter>& tensors, Communicator& communicator) {
    for (const auto& parameter : tensors)
        communicator.broadcast(bufferOf(parameter.tensor), 0);
}

void requireAgreement(const std::vector<Fingerprint>& mine, const std::string& host,
                      Communicator& communicator) {
    std::string record = host.substr(0, hostBytes);
    record.resize(hostBytes, '\0');
    for (const auto& fingerprint : mine)
        record += fingerprint.digest;
    std::string all(record.size() * static_cast<std::size_t>(communicator.worldSize()), '\0');
    communicator.allGather({record.data(), record.size(), DataType::UInt8},
                           {all.data(), all.size(), DataType::UInt8});
    std::string differences;
    for (int rank = 1; rank < communicator.worldSize(); ++rank) {
        const std::string_view theirs(all.data() + static_cast<std::size_t>(rank) * record.size(),
                                      record.size());
        for (std::size_t i = 0; i < mine.size(); ++i) {
            const std::size_t at = hostBytes + i * digestBytes;
            if (theirs.substr(at, digestBytes) == std::string_view(all).substr(at, digestBytes))
                continue;
            const std::string_view name = theirs.substr(0, hostBytes);
            differences += (differences.empty() ? "" : "; ") + std::string("rank ") + std::to_string(rank) +
                           " on " + std::string(name.substr(0, name.find('\0'))) +
                           " differs from rank 0 in " + mine[i].what;
        }
    }
    if (!differences.empty())
        throw TrainerError(wire::ExitCode::Mismatch, differences);
}

} // namespace coxswain::trainer
