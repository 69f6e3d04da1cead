// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/command.h"

#include "cluster/agent/io.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace coxswain::agent {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::size_t outputLimit = 1 << 20;

/// Starts argv with both outputs on `out`, in a process group of its own; -1 when fork fails.
pid_t start(const std::string& program, const std::vector<std::string>& argv, int out) {
    std::vector<char*> arguments;
    for (const auto& argument : argv)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child != 0)
        return child;
    ::setpgid(0, 0);
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, 0);
    ::dup2(out, 1);
    ::dup2(out, 2);
    ::setenv("LC_ALL", "C", 1);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
}

/// Reads until the end of the output or the deadline; false on the latter.
bool collect(int in, Clock::time_point deadline, std::string& output) {
    char block[65536];
    while (true) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0)
            return false;
        pollfd wait{in, POLLIN, 0};
        if (::poll(&wait, 1, static_cast<int>(left)) <= 0)
            continue;
        const ssize_t n = ::read(in, block, sizeof block);
        if (n <= 0)
            return true;
        output.append(block, std::min(static_cast<std::size_t>(n), outputLimit - output.size()));
    }
}

/// False when it has not ended by the deadline.
bool waitFor(pid_t child, Clock::time_point deadline, int& status) {
    for (auto pause = std::chrono::milliseconds(1);;
         pause = std::min(pause * 2, std::chrono::milliseconds(20))) {
        if (::waitpid(child, &status, WNOHANG) == child)
            return true;
        if (Clock::now() >= deadline)
            return false;
        std::this_thread::sleep_for(pause);
    }
}

} // namespace

std::string findProgram(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::string folders = std::string(path ? path : "") +
                          ":/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
                          ":/usr/local/cuda/bin:/usr/lib/wsl/lib";
    for (std::size_t at = 0; at <= folders.size();) {
        const auto end = std::min(folders.find(':', at), folders.size());
        const std::string file = folders.substr(at, end - at) + '/' + name;
        if (file.front() == '/' && ::access(file.c_str(), X_OK) == 0)
            return file;
        at = end + 1;
    }
    return {};
}

json runCommand(const std::vector<std::string>& argv, std::chrono::milliseconds limit) {
    const auto begin = Clock::now();
    const std::string program = findProgram(argv.front());
    if (program.empty())
        return {{"error", "not found"}};
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return {{"error", std::strerror(errno)}};
    Descriptor in(ends[0]);
    Descriptor out(ends[1]);
    const pid_t child = start(program, argv, out.number());
    out.close();
    if (child < 0)
        return {{"error", std::strerror(errno)}};
    std::string output;
    int status = 0;
    const bool ended = collect(in.number(), begin + limit, output) && waitFor(child, begin + limit, status);
    if (!ended) {
        ::kill(-child, SIGKILL);
        // In a sick driver it cannot even be killed: then it stays a child of this process, and no one waits.
        waitFor(child, Clock::now() + std::chrono::milliseconds(200), status);
    }
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
    if (!ended)
        return {{"error", "no answer within " + std::to_string(limit.count() / 1000) + " s"},
                {"milliseconds", took}};
    return {{"status", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)},
            {"out", output},
            {"milliseconds", took}};
}

} // namespace coxswain::agent
