// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/sampler.h"

#include "cluster/agent/gpureader.h"
#include "cluster/agent/processes.h"
#include "trainer/wire/layout.h"
#include "trainer/wire/metrics.h"

#include <fcntl.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <sstream>
#include <thread>

namespace coxswain::agent {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct CpuTimes {
    std::uint64_t busy = 0;
    std::uint64_t all = 0;
};

/// First line of /proc/stat: user nice system idle iowait irq softirq steal, in ticks.
std::optional<CpuTimes> cpuTimes() {
    std::istringstream stream(readFile("/proc/stat", 4096));
    std::string name;
    std::uint64_t ticks[8] = {};
    stream >> name;
    for (auto& value : ticks)
        stream >> value;
    if (!stream || name != "cpu")
        return std::nullopt;
    CpuTimes times;
    for (const auto value : ticks)
        times.all += value;
    times.busy = times.all - ticks[3] - ticks[4];
    return times;
}

std::optional<std::int64_t> memoryLine(const std::string& text, const char* name) {
    const auto at = text.find(name);
    if (at == std::string::npos)
        return std::nullopt;
    return std::atoll(text.c_str() + at + std::char_traits<char>::length(name)) * 1024;
}

struct NetworkBytes {
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
};

/// /proc/net/dev: two lines of heading, then NAME: received … (8 columns) sent … (8 columns).
NetworkBytes networkBytes() {
    std::istringstream lines(readFile("/proc/net/dev", 1 << 16));
    NetworkBytes sum;
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos || line.find("lo:") != std::string::npos)
            continue;
        std::istringstream columns(line.substr(colon + 1));
        std::uint64_t value[9] = {};
        for (auto& v : value)
            columns >> v;
        sum.received += value[0];
        sum.sent += value[8];
    }
    return sum;
}

/// Takes one sample after the other; rates are over the time between two.
class Sampler {
public:
    Sampler(const Folder& base, const std::string& folder) : m_base(base), m_folder(folder) {}

    wire::NodeLine take() {
        wire::NodeLine line;
        const auto now = Clock::now();
        const double seconds = std::chrono::duration<double>(now - m_before).count();
        const auto cpu = cpuTimes();
        if (cpu && m_cpu && cpu->all > m_cpu->all)
            line.cpuPercent = 100.0 * static_cast<double>(cpu->busy - m_cpu->busy) /
                              static_cast<double>(cpu->all - m_cpu->all);
        const auto network = networkBytes();
        if (m_cpu && seconds > 0) {
            line.networkReceived = static_cast<double>(network.received - m_network.received) / seconds;
            line.networkSent = static_cast<double>(network.sent - m_network.sent) / seconds;
        }
        const std::string memory = readFile("/proc/meminfo", 1 << 16);
        line.memoryTotal = memoryLine(memory, "MemTotal:");
        if (const auto available = memoryLine(memory, "MemAvailable:"); available && line.memoryTotal)
            line.memoryUsed = *line.memoryTotal - *available;
        struct statvfs disk {};
        if (::statvfs(m_base.absolute(m_folder).c_str(), &disk) == 0)
            line.diskFree =
                static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
        line.gpus = m_gpus.newest();
        m_cpu = cpu;
        m_network = network;
        m_before = now;
        return line;
    }

private:
    const Folder& m_base;
    std::string m_folder;
    GpuReader m_gpus;
    std::optional<CpuTimes> m_cpu;
    NetworkBytes m_network;
    Clock::time_point m_before = Clock::now();
};

bool somethingRuns(const std::string& job) {
    const auto list = processesOf(job);
    return std::any_of(list.begin(), list.end(),
                       [](const JobProcess& process) { return !process.isSampler; });
}

} // namespace

int runSampler(const Folder& base, const std::string& job, int attempt, int node,
               std::chrono::milliseconds interval) {
    const std::string folder = std::string(wire::layout::jobsFolder) + '/' + job;
    const Descriptor file =
        base.openFile(folder + '/' + wire::layout::nodeFile(node), O_WRONLY | O_CREAT | O_APPEND);
    Sampler sampler(base, folder);
    sampler.take(); // the first one has no rates
    auto lastSeen = Clock::now();
    bool seen = false;
    for (auto next = Clock::now() + interval;; next = std::max(next + interval, Clock::now())) {
        std::this_thread::sleep_until(next);
        const std::string line = wire::toJsonLine({attempt, wallClock(), sampler.take()});
        if (!writeFully(file.number(), line.data(), line.size()))
            return 1;
        if (somethingRuns(job)) {
            lastSeen = Clock::now();
            seen = true;
        }
        if (Clock::now() - lastSeen > (seen ? std::chrono::seconds(3) : std::chrono::seconds(300)))
            return 0;
    }
}

} // namespace coxswain::agent
