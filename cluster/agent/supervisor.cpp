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

namespace coxswain::agent {
namespace {

namespace layout = wire::layout;
using Phase = wire::SupervisorState::Phase;

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
    const auto end = [&](const std::string& message) {
        state.phase = Phase::Exited;
        state.message = message;
        state.endedAt = wallClock();
        save();
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
    save();
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status))
        state.exitStatus = WEXITSTATUS(status);
    else
        state.signal = WTERMSIG(status);
    forgetJob(base, job);
    end("");
    return 0;
}

} // namespace coxswain::agent
