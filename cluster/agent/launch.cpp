// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/launch.h"

#include "cluster/agent/detached.h"
#include "cluster/agent/failure.h"
#include "cluster/agent/keys.h"
#include "trainer/wire/bundle.h"
#include "trainer/wire/layout.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace coxswain::agent {
namespace {

namespace layout = wire::layout;

/// Words separated by spaces; double quotes keep spaces together. Nothing when a quote is not closed, or when
/// there is anything that a shell would act on.
std::optional<std::vector<std::string>> words(std::string_view text) {
    std::vector<std::string> list;
    std::string word;
    bool quoted = false;
    bool begun = false;
    for (const char c : text) {
        if (c == '"') {
            quoted = !quoted;
            begun = true;
        } else if (c == ' ' && !quoted) {
            if (begun)
                list.push_back(std::move(word));
            word.clear();
            begun = false;
        } else if (static_cast<unsigned char>(c) < 0x20 ||
                   std::string_view("`$\\").find(c) != std::string_view::npos ||
                   (!quoted && std::string_view(";&|<>()'").find(c) != std::string_view::npos)) {
            return std::nullopt;
        } else {
            word += c;
            begun = true;
        }
    }
    if (quoted)
        return std::nullopt;
    if (begun)
        list.push_back(std::move(word));
    return list;
}

wire::NodeFile readNodeFile(const Folder& base, const std::string& job) {
    const std::string path =
        base.absolute(std::string(layout::jobsFolder) + '/' + job + '/' + layout::nodeFileName);
    auto file = wire::parseNodeFile(readFile(path, 1 << 20));
    if (!file)
        throw Failure("missing", "read " + path, file.error().text());
    return std::move(*file);
}

std::string bundleOf(const Folder& base, const wire::NodeFile& node) {
    return base.absolute(std::string(layout::runtimeFolder) + '/' + node.runtime);
}

int exitStatus(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

std::optional<std::vector<std::string>> ortedArguments(std::string_view command) {
    constexpr std::string_view program = "/orted ";
    const auto at = command.find(program);
    if (at == std::string_view::npos)
        return std::nullopt;
    // What stands before sets variables for the head's paths; this node's own are set instead.
    auto arguments = words(command.substr(at + program.size()));
    if (arguments)
        std::erase(*arguments, "--daemonize");
    return arguments;
}

int runLaunch(const Folder& base, const std::string& job) {
    const char* command = std::getenv("SSH_ORIGINAL_COMMAND");
    const auto arguments = ortedArguments(command ? command : "");
    if (!arguments) {
        std::fprintf(stderr, "coxswain-agent: the key of job %s starts orted and nothing else\n",
                     job.c_str());
        return 126;
    }
    const std::string bundle = bundleOf(base, readNodeFile(base, job));
    auto argv = wire::bundleCommand(bundle, "bin/orted");
    argv.insert(argv.end(), arguments->begin(), arguments->end());
    auto environment = wire::bundleEnvironment(bundle);
    environment[layout::jobVariable] = job;
    environment["TMPDIR"] = temporaryFolder(base, job);
    // The head's end of the connection may break while orted winds up: that must not take the waiter with it.
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGHUP, SIG_DFL);
        ::signal(SIGPIPE, SIG_DFL);
        execute(argv, environment);
        std::fprintf(stderr, "coxswain-agent: cannot execute %s: %s\n", argv.front().c_str(),
                     std::strerror(errno));
        ::_exit(127);
    }
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    revokeKeysOf(job);
    forgetJob(base, job);
    return child > 0 ? exitStatus(status) : 127;
}

int runRank(const Folder& base, const std::string& job, int attempt) {
    const wire::NodeFile node = readNodeFile(base, job);
    const std::string bundle = bundleOf(base, node);
    const std::string folder = base.absolute(std::string(layout::jobsFolder) + '/' + job);
    if (::chdir(folder.c_str()) != 0)
        throw systemFailure("enter " + folder);
    auto argv = wire::bundleCommand(bundle, "bin/coxswain-trainer");
    for (const std::string& argument :
         {folder + '/' + layout::jobFile, std::string("--attempt"), std::to_string(attempt)})
        argv.push_back(argument);
    auto environment = wire::bundleEnvironment(bundle);
    environment.insert(node.environment.begin(), node.environment.end());
    environment[layout::jobVariable] = job;
    execute(argv, environment);
    throw systemFailure("execute " + argv.front());
}

} // namespace coxswain::agent
