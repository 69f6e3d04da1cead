// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/jobs.h"

#include "cluster/agent/detached.h"
#include "cluster/agent/failure.h"
#include "cluster/agent/processes.h"
#include "cluster/agent/sampler.h"
#include "trainer/wire/layout.h"
#include "trainer/wire/state.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

namespace coxswain::agent {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;
using nlohmann::json;
namespace layout = wire::layout;

std::string jobIn(const json& request) {
    auto job = request.at("job").get<std::string>();
    requireJobName(job);
    return job;
}

std::string jobFolder(const std::string& job) {
    return std::string(layout::jobsFolder) + '/' + job;
}

std::string stateText(const Folder& base, const std::string& job) {
    return readFile(base.absolute(jobFolder(job) + '/' + layout::stateFile), 1 << 16);
}

/// After a restart of the node a number in state.json may be another process's: only its job tells.
bool isOf(const std::string& job, pid_t pid) {
    const auto list = processesOf(job);
    return std::any_of(list.begin(), list.end(),
                       [&](const JobProcess& process) { return process.pid == pid; });
}

json describe(const std::vector<JobProcess>& list) {
    json array = json::array();
    for (const auto& process : list)
        array.push_back({{"pid", process.pid}, {"command", process.command}, {"keeper", process.isKeeper}});
    return array;
}

} // namespace

json supervise(const Folder& base, const json& request) {
    const std::string job = jobIn(request);
    const auto attempt = std::to_string(request.at("attempt").get<int>());
    const std::string stateFile = base.absolute(jobFolder(job) + '/' + layout::stateFile);
    const auto before = wire::parseSupervisorState(stateText(base, job));
    if (before && before->phase != wire::SupervisorState::Phase::Exited && isOf(job, before->supervisorPid))
        throw Failure("conflict", "start job " + job, "it runs already");
    ::unlink(stateFile.c_str());
    startDetached(base, job, {"supervise", "--base", base.path(), "--job", job, "--attempt", attempt});
    for (const auto deadline = Clock::now() + 20s; Clock::now() < deadline;
         std::this_thread::sleep_for(5ms)) {
        const std::string text = stateText(base, job);
        const auto state = wire::parseSupervisorState(text);
        if (state && state->phase != wire::SupervisorState::Phase::Starting)
            return {{"state", text}};
    }
    throw Failure("failed", "start job " + job,
                  "its supervisor did not begin; see " + base.absolute(jobFolder(job) + "/out/agent.log"));
}

json sample(const Folder& base, const json& request) {
    const std::string job = jobIn(request);
    const int interval = request.at("interval_ms").get<int>();
    if (interval < minSampleInterval)
        throw Failure("bad_input", "sample this node", "expected an interval of at least 10 ms");
    const std::string node = " --node " + std::to_string(request.at("node").get<int>()) + ' ';
    const std::string attempt = " --attempt " + std::to_string(request.at("attempt").get<int>()) + ' ';
    for (const auto& process : processesOf(job)) {
        if (!process.isSampler || process.command.find(node) == std::string::npos)
            continue;
        if (process.command.find(attempt) != std::string::npos)
            return {{"started", false}};
        ::kill(process.pid, SIGTERM); // of an earlier attempt: two would write every line twice
    }
    startDetached(base, job,
                  {"sample", "--base", base.path(), "--job", job, "--attempt",
                   std::to_string(request.at("attempt").get<int>()), "--node",
                   std::to_string(request.at("node").get<int>()), "--interval", std::to_string(interval)});
    return {{"started", true}};
}

json signalJob(const Folder& base, const json& request) {
    const std::string job = jobIn(request);
    const int number = request.at("signal").get<int>();
    const auto state = wire::parseSupervisorState(stateText(base, job));
    if (!state)
        throw Failure("missing", "signal job " + job, "it was not started here");
    if (!isOf(job, state->mpirunPid))
        throw Failure("missing", "signal job " + job, "its mpirun has ended");
    if (::kill(state->mpirunPid, number) != 0)
        throw systemFailure("signal mpirun of job " + job);
    return json::object();
}

json processes(const json& request) {
    return {{"processes", describe(processesOf(jobIn(request)))}};
}

json kill(const json& request) {
    return {{"left", describe(endProcessesOf(jobIn(request), 10s))}};
}

json listJobs(const Folder& base) {
    json jobs = json::array();
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(base.absolute(layout::jobsFolder), error)) {
        const std::string job = entry.path().filename();
        const std::string state = stateText(base, job);
        jobs.push_back({{"job", job},
                        {"state", state.empty() ? json(nullptr) : json(state)},
                        {"processes", processesOf(job).size()}});
    }
    return {{"jobs", std::move(jobs)}};
}

namespace {

std::uint64_t bytesBelow(const std::string& path) {
    std::uint64_t sum = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error)) {
        struct stat status {};
        if (::lstat(entry.path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
            sum += static_cast<std::uint64_t>(status.st_size) / std::max<std::uint64_t>(1, status.st_nlink);
    }
    return sum;
}

void requireIdle(const std::string& job) {
    if (const auto alive = processesOf(job); !alive.empty())
        throw Failure("conflict", "remove job " + job,
                      std::to_string(alive.size()) + " of its processes still run, such as " +
                          std::to_string(alive.front().pid) + " (" + alive.front().command + ")");
}

} // namespace

json clean(const Folder& base, const json& request) {
    if (request.contains("job")) {
        const std::string job = jobIn(request);
        requireIdle(job);
        const auto bytes = bytesBelow(base.absolute(jobFolder(job)));
        base.remove(jobFolder(job));
        return {{"removed", bytes}};
    }
    const json jobs = listJobs(base)["jobs"];
    for (const auto& entry : jobs)
        requireIdle(entry["job"].get<std::string>());
    const auto bytes = bytesBelow(base.path());
    for (const char* folder :
         {layout::jobsFolder, layout::runtimeFolder, layout::storeFolder, layout::agentFolder})
        base.remove(folder);
    ::rmdir(base.path().c_str()); // stays when something of the user's own lies in it
    return {{"removed", bytes}};
}

} // namespace coxswain::agent
