// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/detached.h"

#include "cluster/agent/failure.h"
#include "trainer/wire/layout.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace coxswain::agent {
namespace {

void closeInherited() {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr)
        if (const int number = std::atoi(entry->d_name); number > 2 && number != ::dirfd(folder.get()))
            ::close(number);
}

[[noreturn]] void becomeDetached(const std::string& job, const std::vector<std::string>& argv, int log) {
    ::setsid();
    if (::fork() != 0) // the session's leader ends: no terminal can ever be gained
        ::_exit(0);
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, 0);
    ::dup2(log, 1);
    ::dup2(log, 2);
    closeInherited();
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGPIPE, SIG_DFL);
    execute(argv, {{wire::layout::jobVariable, job}});
    ::_exit(127);
}

} // namespace

std::string ownProgram() {
    std::array<char, 4096> path{};
    const ssize_t n = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
    if (n <= 0)
        throw systemFailure("find this program");
    return std::string(path.data(), static_cast<std::size_t>(n));
}

std::string temporaryFolder(const Folder& base, const std::string& job) {
    const std::string path =
        std::string(wire::layout::jobsFolder) + '/' + job + '/' + wire::layout::temporaryFolder;
    base.openFolder(path, true);
    return base.absolute(path);
}

void execute(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment) {
    for (const auto& [name, value] : environment)
        ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> arguments;
    for (const auto& argument : argv)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execv(arguments.front(), arguments.data());
}

void startDetached(const Folder& base, const std::string& job, const std::vector<std::string>& arguments) {
    std::vector<std::string> argv{ownProgram()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const Descriptor log = base.openFile(std::string(wire::layout::jobsFolder) + '/' + job + '/' +
                                             wire::layout::outputFolder + "/agent.log",
                                         O_WRONLY | O_CREAT | O_APPEND);
    const pid_t child = ::fork();
    if (child < 0)
        throw systemFailure("start " + arguments.front() + " of job " + job);
    if (child == 0)
        becomeDetached(job, argv, log.number());
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
}

} // namespace coxswain::agent
