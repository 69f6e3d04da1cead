// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/probe.h"

#include "cluster/agent/command.h"
#include "cluster/agent/interfaces.h"

#include <sched.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <thread>

namespace coxswain::agent {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr const char* gpuFields = "index,uuid,name,driver_version,memory.total,memory.free,memory.used,"
                                  "utilization.gpu,temperature.gpu,power.draw,pci.bus_id";

std::vector<std::string> gpuQuery() {
    return {"nvidia-smi", std::string("--query-gpu=") + gpuFields, "--format=csv,noheader,nounits"};
}

json facts(const Folder& base) {
    json values = {{"user", userName()}, {"base", base.path()}, {"interfaces", networkInterfaces()}};
    if (const char* home = std::getenv("HOME"))
        values["home"] = home;
    utsname system{};
    if (::uname(&system) == 0) {
        values["hostname"] = system.nodename;
        values["architecture"] = system.machine;
        values["kernel"] = system.release;
    }
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        values["cores"] = CPU_COUNT(&allowed);
    struct statvfs disk {};
    if (::fstatvfs(base.descriptor(), &disk) == 0) {
        values["disk_free"] = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
        values["disk_total"] = static_cast<std::uint64_t>(disk.f_blocks) * disk.f_frsize;
    }
    if (::statvfs("/dev/shm", &disk) == 0)
        values["shared_memory_total"] = static_cast<std::uint64_t>(disk.f_blocks) * disk.f_frsize;
    return values;
}

json files() {
    json texts = json::object();
    for (const char* path :
         {"/proc/meminfo", "/proc/cpuinfo", "/etc/os-release", "/proc/version", "/proc/driver/nvidia/version",
          "/proc/sys/kernel/random/boot_id", "/proc/loadavg"}) {
        std::string error;
        // One processor's lines tell the model; hundreds of cores repeat them.
        const std::string text =
            readFile(path, std::string_view(path) == "/proc/cpuinfo" ? 4096 : 65536, &error);
        texts[path] = error.empty() ? json(text) : json{{"error", error}};
    }
    return texts;
}

/// All programs at once, so that one that hangs costs its own limit and no more.
json commands(const std::map<std::string, std::vector<std::string>>& list) {
    json results = json::object();
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (const auto& [name, argv] : list)
        threads.emplace_back([&results, &mutex, &name = name, &argv = argv] {
            json result = runCommand(argv, 10s);
            const std::lock_guard lock(mutex);
            results[name] = std::move(result);
        });
    for (auto& thread : threads)
        thread.join();
    return results;
}

/// Only when the query of all GPUs failed: which of them still answer?
json singleGpus(const json& list) {
    std::map<std::string, std::vector<std::string>> queries;
    const std::string text = list.value("out", "");
    for (int index = 0; index < 16; ++index) {
        if (text.find("GPU " + std::to_string(index) + ':') == std::string::npos)
            continue;
        auto argv = gpuQuery();
        argv.insert(argv.begin() + 1, {"-i", std::to_string(index)});
        queries["nvidia-smi-query-" + std::to_string(index)] = argv;
    }
    return commands(queries);
}

} // namespace

std::string userName() {
    for (const char* name : {"USER", "LOGNAME"})
        if (const char* value = std::getenv(name); value && *value)
            return value;
    return std::to_string(::getuid());
}

json probe(const Folder& base) {
    std::map<std::string, std::vector<std::string>> list{
        {"nvidia-smi-query", gpuQuery()},
        {"nvidia-smi", {"nvidia-smi"}},
        {"nvidia-smi-list", {"nvidia-smi", "-L"}},
        {"nvcc", {"nvcc", "--version"}},
        {"glibc", {"ldd", "--version"}},
        {"ssh", {"ssh", "-V"}},
        {"nccl",
         {"sh", "-c",
          "grep -hE '^#define NCCL_(MAJOR|MINOR|PATCH) ' /usr/include/nccl.h 2>/dev/null | "
          "awk '{v = v s $3; s = \".\"} END {if (v) print v}'"}}};
    json results = commands(list);
    if (const auto& query = results["nvidia-smi-query"]; query.contains("status") && query["status"] != 0)
        results.update(singleGpus(results["nvidia-smi-list"]));
    return {{"facts", facts(base)}, {"files", files()}, {"commands", std::move(results)}};
}

} // namespace coxswain::agent
