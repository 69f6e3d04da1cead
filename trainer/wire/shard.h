// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace coxswain::wire {

/// Note [Lanes]: an optimizer step takes one sequence from each of `laneCount` lanes, laneCount being the
/// global batch. Document i of the source belongs to lane i mod laneCount, and each lane is shuffled for
/// itself, so what a step sees does not depend on the number of ranks: a rank owns a run of lanes, its
/// shard holds just these, and another world size deals the same lanes out differently.
struct LaneRange {
    int first = 0;
    int count = 0;
    bool operator==(const LaneRange&) const = default;
};

/// The lanes of `rank`: contiguous, sizes differ by at most one, the first ranks take the larger share.
/// Needs 1 <= worldSize <= laneCount, or a rank would have nothing to do.
LaneRange lanesOfRank(int rank, int worldSize, int laneCount);

struct LaneSection {
    int lane = 0;
    std::int64_t documents = 0;
    std::int64_t bytes = 0; ///< in the payload, every document's closing newline included
    bool operator==(const LaneSection&) const = default;
};

/// First line of a shard file, as JSON; the payload follows: one line a document, lane after lane.
struct ShardHeader {
    std::string source; ///< name of the file that was split, for people
    std::string kind = "text";
    int index = 0; ///< rank that this shard is for
    int count = 1; ///< world size that it was made for
    int laneCount = 1;
    std::vector<LaneSection> sections; ///< ascending lanes, contiguous in the payload
    std::int64_t payloadBytes = 0;
    std::string payloadSha256;
    bool operator==(const ShardHeader&) const = default;
};

std::string toHeaderLine(const ShardHeader& header);
Result<ShardHeader> parseShardHeader(std::string_view firstLine);

/// Documents by lane, from a text file or a shard. Views stay valid as long as the object (memory-mapped).
class Documents {
public:
    /// A text file: every line that is not blank is a document (closing CRs are dropped).
    static Result<Documents> fromText(const std::filesystem::path& file, int laneCount);
    /// A shard: its checksum is verified.
    static Result<Documents> fromShard(const std::filesystem::path& file);

    int laneCount() const { return m_laneCount; }
    /// The lanes that are here, ascending.
    std::vector<int> lanes() const;
    /// Documents of `lane`, in the order of the source; empty for a lane that is not here.
    const std::vector<std::string_view>& documents(int lane) const;
    std::int64_t documentCount() const;

private:
    struct Mapping;
    std::shared_ptr<const Mapping> m_mapping;
    int m_laneCount = 1;
    std::vector<std::vector<std::string_view>> m_documents; ///< by lane; empty where a lane is not here
};

/// Writes the shard of `rank` to `file` (made with mode 0600, complete or absent) and returns its header.
Result<ShardHeader> writeShard(const Documents& documents, std::string_view source, int rank, int worldSize,
                               const std::filesystem::path& file);

} // namespace coxswain::wire
