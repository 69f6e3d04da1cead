// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/lanesampler.h"

#include "trainer/data/bytetokenizer.h"
#include "trainer/data/random.h"
#include "trainer/dist/errors.h"
#include "trainer/wire/sha256.h"

#include <algorithm>

namespace coxswain::trainer {

LaneSampler::LaneSampler(const wire::Documents& documents, wire::LaneRange lanes, int sequenceLength,
                         std::uint64_t seed)
    : m_sequenceLength(sequenceLength), m_seed(seed) {
    std::vector<std::int32_t> encoded;
    for (int number = lanes.first; number < lanes.first + lanes.count; ++number) {
        Lane& lane = m_lanes.emplace_back();
        lane.number = number;
        for (const auto document : documents.documents(number)) {
            encoded.clear();
            ByteTokenizer::encode(document, encoded);
            encoded.push_back(ByteTokenizer::eos);
            lane.tokens.insert(lane.tokens.end(), encoded.begin(), encoded.end());
        }
        const auto windows = (static_cast<std::int64_t>(lane.tokens.size()) - 1) / sequenceLength;
        if (windows < 1)
            throw TrainerError(
                wire::ExitCode::BadData,
                "the data is too small: lane " + std::to_string(number) + " of " +
                    std::to_string(documents.laneCount()) + " holds " + std::to_string(lane.tokens.size()) +
                    " tokens, but a sequence needs " + std::to_string(sequenceLength + 1) +
                    "; use more text, or a smaller train.global_batch or train.sequence_length");
        m_shortest = m_lanes.size() == 1 ? windows : std::min(m_shortest, windows);
    }
    m_stepsPerEpoch = m_shortest;
}

std::int64_t LaneSampler::tokenCount() const {
    std::int64_t count = 0;
    for (const auto& lane : m_lanes)
        count += static_cast<std::int64_t>(lane.tokens.size());
    return count;
}

std::string LaneSampler::digest() const {
    wire::Sha256 hash;
    for (const auto& lane : m_lanes) {
        hash.update(std::to_string(lane.number) + ':' + std::to_string(m_seed) + ':');
        hash.update(lane.tokens.data(), lane.tokens.size() * sizeof(lane.tokens[0]));
    }
    return hash.hexDigest();
}

void LaneSampler::beginEpoch(std::int64_t epoch) {
    m_epoch = epoch;
    for (auto& lane : m_lanes) {
        const auto windows = (static_cast<std::int64_t>(lane.tokens.size()) - 1) / m_sequenceLength;
        lane.order = permutation(windows, mixSeeds(m_seed, static_cast<std::uint64_t>(epoch),
                                                   static_cast<std::uint64_t>(lane.number)));
    }
}

void LaneSampler::fill(std::int64_t step, std::int64_t* inputs, std::int64_t* labels) {
    const std::int64_t epoch = (step - 1) / m_stepsPerEpoch;
    const auto position = static_cast<std::size_t>((step - 1) % m_stepsPerEpoch);
    if (epoch != m_epoch)
        beginEpoch(epoch);
    for (const auto& lane : m_lanes) {
        const std::uint16_t* window = lane.tokens.data() + lane.order[position] * m_sequenceLength;
        std::copy(window, window + m_sequenceLength, inputs);
        std::copy(window + 1, window + 1 + m_sequenceLength, labels);
        inputs += m_sequenceLength;
        labels += m_sequenceLength;
    }
}

double LaneSampler::epochAfter(std::int64_t step) const {
    return static_cast<double>(step) / static_cast<double>(m_stepsPerEpoch);
}

} // namespace coxswain::trainer
