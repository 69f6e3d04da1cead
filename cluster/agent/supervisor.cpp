// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/supervisor.h"

#include "cluster/agent/detached.h"
#include "cluster/agent/failure.h"
#include "cluster/agent/keys.h"
#include "trainer/wire/bundle.h"
#include "trainer/wire/layout.h"
#include "trainer/wire/state.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

namespace coxswain::agent {
namespace {

namespace layout = wire::layout;
using Phase = wire::SupervisorState::Phase;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Starts mpirun with both outputs in `log`. A pipe that closes on exec tells whether it was executed: 0, or
/// errno.
int startMpirun(const wire::LaunchFile& launch, int log, pid_t& child) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    const Descriptor in(ends[0]);
    Descriptor out(ends[1]);
    child = ::fork();
    if (child < 0)
        return errno;
    if (child == 0) {
        ::signal(SIGHUP, SIG_DFL);
        ::dup2(log, 1);
        ::dup2(log, 2);
        if (::chdir(launch.folder.c_str()) == 0)
            execute(launch.argv, launch.environment);
        const int error = errno;
        writeFully(out.number(), &error, sizeof error);
        ::_exit(127);
    }
    out.close();
    int error = 0;
    return readFully(in.number(), &error, sizeof error) == sizeof error ? error : 0;
}

} // namespace

int runSupervisor(const Folder& base, const std::string& job, int attempt) {
    const std::string folder = std::string(layout::jobsFolder) + '/' + job + '/';
    wire::SupervisorState state;
    state.job = job;
    state.attempt = attempt;
    state.supervisorPid = static_cast<int>(::getpid());
    state.startedAt = wallClock();
    const auto save = [&] {
        replaceFile(base.absolute(folder + layout::stateFile), wire::toJsonText(state), 0600);
    };
    const auto trySave = [&] {
        try {
            save();
            return true;
        } catch (const Failure& failure) {
            std::fprintf(stderr, "coxswain-agent: %s\n", failure.what());
            return false;
        }
    };
    const auto end = [&](const std::string& message) {
        state.phase = Phase::Exited;
        state.message = message;
        state.endedAt = wallClock();
        // A job may end because the disk is full: how it ended must be known all the same, once there is
        // room.
        for (const auto deadline = Clock::now() + 1h; !trySave() && Clock::now() < deadline;)
            std::this_thread::sleep_for(1s);
    };
    save();
    auto launch = wire::parseLaunchFile(readFile(base.absolute(folder + layout::launchFile), 4 << 20));
    if (!launch) {
        end("launch.json: " + launch.error().text());
        return 1;
    }
    const Descriptor log = base.openFile(folder + layout::mpirunLog, O_WRONLY | O_CREAT | O_APPEND);
    launch->environment["TMPDIR"] = temporaryFolder(base, job);
    pid_t child = -1;
    if (const int error = startMpirun(*launch, log.number(), child); error != 0) {
        end("cannot execute " + launch->argv.front() + ": " + std::strerror(error));
        return 1;
    }
    state.phase = Phase::Running;
    state.mpirunPid = static_cast<int>(child);
    std::string message;
    if (!trySave()) { // nobody would know that it runs
        ::kill(child, SIGTERM);
        message = "the job's state could not be written when it had started";
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status))
        state.exitStatus = WEXITSTATUS(status);
    else
        state.signal = WTERMSIG(status);
    try {
        forgetJob(base, job);
    } catch (const Failure& failure) {
        std::fprintf(stderr, "coxswain-agent: %s\n", failure.what());
    }
    end(message);
    return 0;
}

} // namespace coxswain::agent
