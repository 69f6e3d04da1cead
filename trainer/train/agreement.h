// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/dist/communicator.h"
#include "trainer/model/decoder.h"

#include <string>
#include <vector>

namespace coxswain::trainer {

/// Something that every rank must have alike, by its SHA-256 digest.
struct Fingerprint {
    std::string what; ///< "the job", "the model's parameters"
    std::string digest;
};

/// A digest over names, shapes and values.
std::string digestOf(const std::vector<Parameter>& tensors);

/// Sends rank 0's values to all ranks. Collective.
void broadcastTensors(const std::vector<Parameter>& tensors, Communicator& communicator);

/// Compares every rank's fingerprints with rank 0's. Throws TrainerError(Mismatch) that names what differs
/// and on which rank and host; every rank throws the same. Collective, over host memory.
void requireAgreement(const std::vector<Fingerprint>& mine, const std::string& host,
                      Communicator& communicator);

} // namespace coxswain::trainer
