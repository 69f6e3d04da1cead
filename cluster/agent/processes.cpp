// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/processes.h"

#include "cluster/agent/failure.h"
#include "cluster/agent/io.h"
#include "trainer/wire/layout.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <thread>

namespace coxswain::agent {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

bool isOwn(const std::string& command, const char* verb) {
    return command.find(std::string("coxswain-agent ") + verb + ' ') != std::string::npos;
}

} // namespace

std::vector<JobProcess> processesOf(const std::string& job) {
    const std::string wanted = std::string(wire::layout::jobVariable) + '=' + job;
    std::vector<JobProcess> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
        const std::string name = entry->d_name;
        if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
            continue;
        const std::string environment = '\0' + readFile("/proc/" + name + "/environ", 4 << 20);
        if (environment.find('\0' + wanted + '\0') == std::string::npos)
            continue;
        JobProcess process;
        process.pid = static_cast<pid_t>(std::atol(name.c_str()));
        process.command = readFile("/proc/" + name + "/cmdline", 4096);
        std::replace(process.command.begin(), process.command.end(), '\0', ' ');
        process.isSampler = isOwn(process.command, "sample");
        process.isKeeper = process.isSampler || isOwn(process.command, "supervise");
        if (process.pid != ::getpid())
            found.push_back(std::move(process));
    }
    return found;
}

std::vector<JobProcess> endProcessesOf(const std::string& job, std::chrono::milliseconds limit) {
    const auto begin = Clock::now();
    std::vector<JobProcess> left;
    while (!(left = processesOf(job)).empty() && Clock::now() - begin < limit) {
        const auto passed = Clock::now() - begin;
        const bool onlyKeepers =
            std::all_of(left.begin(), left.end(), [](const auto& p) { return p.isKeeper; });
        for (const auto& process : left) {
            // A supervisor that is killed before its mpirun could not write how it ended; samplers have done
            // their work when nothing else is left.
            if (!process.isKeeper)
                ::kill(process.pid, passed < 500ms ? SIGTERM : SIGKILL);
            else if (passed > 4s || (onlyKeepers && process.command.find(" sample ") != std::string::npos))
                ::kill(process.pid, SIGKILL);
        }
        std::this_thread::sleep_for(30ms);
    }
    return left;
}

void requireJobName(const std::string& job) {
    const bool good = !job.empty() && job.size() <= 100 && job.front() != '.' &&
                      std::all_of(job.begin(), job.end(), [](char c) {
                          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                 c == '-' || c == '_' || c == '.';
                      });
    if (!good)
        throw Failure("bad_input", "use the job's name", "expected letters, digits, '-', '_' and '.'");
}

} // namespace coxswain::agent
