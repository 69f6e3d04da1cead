// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/shard.h"

#include "trainer/wire/sha256.h"
#include "trainer/wire/version.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace coxswain::wire {
namespace {

using nlohmann::json;

/// A header beyond this is not one of ours: 16 MiB is over 300,000 lanes.
constexpr std::size_t maxHeaderBytes = 16 << 20;
/// As for train.global_batch: a damaged count must not ask for all memory.
constexpr int maxLanes = 1 << 20;

std::string systemError(const std::filesystem::path& file, const char* what) {
    return std::string("cannot ") + what + " " + file.string() + ": " + std::strerror(errno);
}

bool isBlank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Calls take(line) for each line of `text` that is not blank, without its end.
template <class Take>
void forEachDocument(std::string_view text, Take&& take) {
    while (!text.empty()) {
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        // All of them: a document that still ended in one would lose it in a shard, and change with world
        // size.
        while (line.ends_with('\r'))
            line.remove_suffix(1);
        if (!isBlank(line))
            take(line);
    }
}

class File {
public:
    explicit File(int descriptor) : m_descriptor(descriptor) {}
    ~File() {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    int descriptor() const { return m_descriptor; }
    bool write(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t n = ::write(m_descriptor, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }

private:
    int m_descriptor;
};

} // namespace

LaneRange lanesOfRank(int rank, int worldSize, int laneCount) {
    const int share = laneCount / worldSize;
    const int larger = laneCount % worldSize;
    return {rank * share + std::min(rank, larger), share + (rank < larger ? 1 : 0)};
}

std::string toHeaderLine(const ShardHeader& header) {
    json sections = json::array();
    for (const auto& s : header.sections)
        sections.push_back({{"lane", s.lane}, {"documents", s.documents}, {"bytes", s.bytes}});
    const json line = {{"format", shardFormat},
                       {"source", header.source},
                       {"kind", header.kind},
                       {"index", header.index},
                       {"count", header.count},
                       {"lane_count", header.laneCount},
                       {"sections", std::move(sections)},
                       {"payload_bytes", header.payloadBytes},
                       {"payload_sha256", header.payloadSha256}};
    return line.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

namespace {

std::string checkHeader(const ShardHeader& h) {
    if (h.count < 1 || h.index < 0 || h.index >= h.count)
        return "index and count do not fit together";
    if (h.laneCount < h.count || h.laneCount > maxLanes)
        return "lane_count is out of range";
    std::int64_t bytes = 0;
    int lane = -1;
    for (const auto& s : h.sections) {
        if (s.lane <= lane || s.lane >= h.laneCount || s.documents < 0 || s.bytes < 0)
            return "lanes must ascend and lie below lane_count";
        if (s.documents > s.bytes || s.bytes > h.payloadBytes - bytes)
            return "the sections do not fit into the payload";
        lane = s.lane;
        bytes += s.bytes;
    }
    if (bytes != h.payloadBytes)
        return "the sections' bytes do not add up to payload_bytes";
    return isSha256Hex(h.payloadSha256) ? "" : "payload_sha256 is not a SHA-256 digest";
}

} // namespace

Result<ShardHeader> parseShardHeader(std::string_view firstLine) {
    const json line = json::parse(firstLine, nullptr, false);
    if (!line.is_object())
        return tl::unexpected(FieldError{"", "not a shard: its first line is not a JSON object"});
    const auto format = line.value("format", json("")).is_string() ? line.value("format", std::string()) : "";
    if (!isReadable(matchFormat(format, shardFormat)))
        return tl::unexpected(FieldError{"format", formatMismatch(format, shardFormat)});
    ShardHeader h;
    try {
        h.source = line.at("source").get<std::string>();
        h.kind = line.at("kind").get<std::string>();
        h.index = line.at("index").get<int>();
        h.count = line.at("count").get<int>();
        h.laneCount = line.at("lane_count").get<int>();
        for (const auto& s : line.at("sections"))
            h.sections.push_back({s.at("lane").get<int>(), s.at("documents").get<std::int64_t>(),
                                  s.at("bytes").get<std::int64_t>()});
        h.payloadBytes = line.at("payload_bytes").get<std::int64_t>();
        h.payloadSha256 = line.at("payload_sha256").get<std::string>();
    } catch (const json::exception& e) {
        return tl::unexpected(FieldError{"", std::string("damaged shard header: ") + e.what()});
    }
    if (const auto fault = checkHeader(h); !fault.empty())
        return tl::unexpected(FieldError{"", "damaged shard header: " + fault});
    return h;
}

struct Documents::Mapping {
    const char* data = nullptr;
    std::size_t bytes = 0;

    Mapping() = default;
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() {
        if (data)
            ::munmap(const_cast<char*>(data), bytes);
    }
    std::string_view text() const { return {data, bytes}; }

    static Result<std::shared_ptr<const Mapping>> open(const std::filesystem::path& path) {
        const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        struct stat status {};
        if (file.descriptor() < 0 || ::fstat(file.descriptor(), &status) != 0)
            return tl::unexpected(FieldError{"", systemError(path, "read")});
        if (!S_ISREG(status.st_mode))
            return tl::unexpected(FieldError{"", path.string() + " is not a regular file"});
        auto mapping = std::make_shared<Mapping>();
        mapping->bytes = static_cast<std::size_t>(status.st_size);
        if (mapping->bytes == 0)
            return std::shared_ptr<const Mapping>(mapping);
        void* address = ::mmap(nullptr, mapping->bytes, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
        if (address == MAP_FAILED)
            return tl::unexpected(FieldError{"", systemError(path, "map")});
        mapping->data = static_cast<const char*>(address);
        return std::shared_ptr<const Mapping>(mapping);
    }
};

Result<Documents> Documents::fromText(const std::filesystem::path& file, int laneCount) {
    auto mapping = Mapping::open(file);
    if (!mapping)
        return tl::unexpected(mapping.error());
    Documents result;
    result.m_mapping = *mapping;
    result.m_laneCount = laneCount;
    result.m_documents.resize(static_cast<std::size_t>(laneCount));
    std::string_view text = (*mapping)->text();
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    std::size_t i = 0;
    forEachDocument(text, [&](std::string_view line) {
        result.m_documents[i++ % static_cast<std::size_t>(laneCount)].push_back(line);
    });
    if (i == 0)
        return tl::unexpected(FieldError{"", file.string() + " holds no text: expected one document a line"});
    return result;
}

Result<Documents> Documents::fromShard(const std::filesystem::path& file) {
    auto mapping = Mapping::open(file);
    if (!mapping)
        return tl::unexpected(mapping.error());
    const std::string_view text = (*mapping)->text();
    const auto end = text.substr(0, maxHeaderBytes).find('\n');
    auto header = parseShardHeader(text.substr(0, end));
    if (end == std::string_view::npos || !header)
        return tl::unexpected(
            FieldError{header ? "" : header.error().field,
                       file.string() + ": " + (header ? "not a shard" : header.error().message)});
    std::string_view payload = text.substr(end + 1);
    if (static_cast<std::int64_t>(payload.size()) != header->payloadBytes)
        return tl::unexpected(FieldError{
            "payload_bytes", file.string() + ": expected " + std::to_string(header->payloadBytes) +
                                 " bytes after the header, found " + std::to_string(payload.size())});
    if (const auto seen = sha256Hex(payload); seen != header->payloadSha256)
        return tl::unexpected(FieldError{"payload_sha256", file.string() + ": damaged: expected SHA-256 " +
                                                               header->payloadSha256 + ", found " + seen});
    Documents result;
    result.m_mapping = *mapping;
    result.m_laneCount = header->laneCount;
    result.m_documents.resize(static_cast<std::size_t>(header->laneCount));
    for (const auto& section : header->sections) {
        auto& lane = result.m_documents[static_cast<std::size_t>(section.lane)];
        lane.reserve(static_cast<std::size_t>(section.documents));
        forEachDocument(payload.substr(0, static_cast<std::size_t>(section.bytes)),
                        [&](std::string_view line) { lane.push_back(line); });
        payload.remove_prefix(static_cast<std::size_t>(section.bytes));
        if (static_cast<std::int64_t>(lane.size()) != section.documents)
            return tl::unexpected(
                FieldError{"sections", file.string() + ": lane " + std::to_string(section.lane) +
                                           " holds another number of documents than it says"});
    }
    return result;
}

std::vector<int> Documents::lanes() const {
    std::vector<int> present;
    for (std::size_t lane = 0; lane < m_documents.size(); ++lane)
        if (!m_documents[lane].empty())
            present.push_back(static_cast<int>(lane));
    return present;
}

const std::vector<std::string_view>& Documents::documents(int lane) const {
    static const std::vector<std::string_view> none;
    const bool known = lane >= 0 && static_cast<std::size_t>(lane) < m_documents.size();
    return known ? m_documents[static_cast<std::size_t>(lane)] : none;
}

std::int64_t Documents::documentCount() const {
    std::int64_t count = 0;
    for (const auto& lane : m_documents)
        count += static_cast<std::int64_t>(lane.size());
    return count;
}

Result<ShardHeader> writeShard(const Documents& documents, std::string_view source, int rank, int worldSize,
                               const std::filesystem::path& file) {
    ShardHeader header;
    header.source = source;
    header.index = rank;
    header.count = worldSize;
    header.laneCount = documents.laneCount();
    const LaneRange range = lanesOfRank(rank, worldSize, documents.laneCount());
    Sha256 hash;
    for (int lane = range.first; lane < range.first + range.count; ++lane) {
        LaneSection section{lane, 0, 0};
        for (const auto document : documents.documents(lane)) {
            hash.update(document);
            hash.update("\n");
            section.documents += 1;
            section.bytes += static_cast<std::int64_t>(document.size()) + 1;
        }
        header.payloadBytes += section.bytes;
        header.sections.push_back(section);
    }
    header.payloadSha256 = hash.hexDigest();

    const std::filesystem::path partial = file.string() + ".partial";
    {
        const File out(::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        bool good = out.descriptor() >= 0 && out.write(toHeaderLine(header));
        std::string buffer;
        const auto flush = [&](std::size_t limit) {
            if (good && buffer.size() >= limit) {
                good = out.write(buffer);
                buffer.clear();
            }
        };
        for (int lane = range.first; good && lane < range.first + range.count; ++lane) {
            for (const auto document : documents.documents(lane)) {
                buffer.append(document).push_back('\n');
                flush(1 << 20);
            }
        }
        flush(1);
        if (!good || ::fsync(out.descriptor()) != 0) {
            FieldError error{"", systemError(partial, "write")};
            ::unlink(partial.c_str());
            return tl::unexpected(std::move(error));
        }
    }
    if (::rename(partial.c_str(), file.c_str()) != 0)
        return tl::unexpected(FieldError{"", systemError(file, "write")});
    return header;
}

} // namespace coxswain::wire
