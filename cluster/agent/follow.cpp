// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/failure.h"
#include "cluster/agent/jobs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace coxswain::agent {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;
using nlohmann::json;

struct Wanted {
    std::string path;
    std::uint64_t offset = 0;
    std::uint64_t max = 0;
};

/// Nothing where the file is not there (yet).
std::optional<std::uint64_t> sizeOf(const Folder& base, const std::string& path) {
    struct stat status {};
    if (::lstat(base.absolute(path).c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
}

bool isLines(const std::string& path) {
    return path.ends_with(".jsonl") || path.ends_with(".log");
}

std::string newBytes(const Folder& base, const Wanted& wanted, std::uint64_t size) {
    const auto count = std::min(wanted.max, size - wanted.offset);
    const Descriptor file = base.openFile(wanted.path, O_RDONLY);
    std::string bytes(count, '\0');
    if (::lseek(file.number(), static_cast<off_t>(wanted.offset), SEEK_SET) < 0)
        throw systemFailure("read " + wanted.path);
    bytes.resize(readFully(file.number(), bytes.data(), count));
    const auto end = bytes.rfind('\n');
    if (isLines(wanted.path) && (end != std::string::npos || bytes.size() < wanted.max))
        bytes.resize(end == std::string::npos ? 0 : end + 1);
    return bytes;
}

std::vector<Wanted> wantedFiles(const json& request) {
    std::vector<Wanted> list;
    for (const auto& entry : request.at("files")) {
        Wanted wanted{entry.at("path").get<std::string>(), entry.at("offset").get<std::uint64_t>(),
                      std::min<std::uint64_t>(entry.at("max").get<std::uint64_t>(), 16 << 20)};
        Folder::parts(wanted.path);
        list.push_back(std::move(wanted));
    }
    return list;
}

} // namespace

json read(const Folder& base, const json& request, Channel& channel) {
    const auto list = wantedFiles(request);
    const auto deadline = Clock::now() + std::chrono::milliseconds(request.at("wait_ms").get<int>());
    json files;
    std::vector<std::string> contents(list.size());
    while (true) {
        files = json::array();
        bool some = false;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const auto size = sizeOf(base, list[i].path);
            contents[i] = size && *size > list[i].offset ? newBytes(base, list[i], *size) : std::string();
            some = some || !contents[i].empty();
            files.push_back({{"bytes", contents[i].size()}, {"size", size.value_or(0)}, {"absent", !size}});
        }
        if (some || Clock::now() >= deadline)
            break;
        channel.pause(20ms);
    }
    for (const auto& content : contents)
        channel.sendData(content);
    return {{"files", std::move(files)}};
}

} // namespace coxswain::agent
