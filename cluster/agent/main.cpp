// SPDX-License-Identifier: Apache-2.0
// coxswain-agent: the helper that runs on a node. It observes and carries out; judging happens on the
// desktop.
#include "cluster/agent/failure.h"
#include "cluster/agent/launch.h"
#include "cluster/agent/processes.h"
#include "cluster/agent/sampler.h"
#include "cluster/agent/serve.h"
#include "cluster/agent/supervisor.h"

#include <getopt.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr const char* usage =
    R"(usage: coxswain-agent COMMAND --base DIR [--job ID] [--attempt N] [--node N] [--interval MS]

The helper that Coxswain puts on a node, below DIR. Commands:
  serve      speak the protocol of cluster/agent/protocol.h on standard input and output
  supervise  start the job's mpirun and keep its state.json; outlives the connection
  sample     append samples of this node to the job's node-<n>.jsonl while the job runs
  launch     forced command of a job's key: starts orted, nothing else
  rank       become one rank of the job
)";

struct Arguments {
    std::string command, base, job;
    int attempt = 1;
    int node = 0;
    int interval = 1000;
};

bool parse(int argc, char** argv, Arguments& arguments) {
    const option known[] = {
        {"base", required_argument, nullptr, 'b'},     {"job", required_argument, nullptr, 'j'},
        {"attempt", required_argument, nullptr, 'a'},  {"node", required_argument, nullptr, 'n'},
        {"interval", required_argument, nullptr, 'i'}, {nullptr, 0, nullptr, 0}};
    for (int c = 0; (c = ::getopt_long(argc, argv, "", known, nullptr)) != -1;) {
        switch (c) {
        case 'b':
            arguments.base = optarg;
            break;
        case 'j':
            arguments.job = optarg;
            break;
        case 'a':
            arguments.attempt = std::atoi(optarg);
            break;
        case 'n':
            arguments.node = std::atoi(optarg);
            break;
        case 'i':
            arguments.interval = std::atoi(optarg);
            break;
        default:
            return false;
        }
    }
    if (optind + 1 != argc || arguments.base.empty() ||
        arguments.interval < coxswain::agent::minSampleInterval)
        return false;
    arguments.command = argv[optind];
    return arguments.command == "serve" || !arguments.job.empty();
}

int run(const Arguments& a) {
    using namespace coxswain::agent;
    const Folder base(a.base);
    if (a.command == "serve")
        return serve(base, 0, 1);
    requireJobName(a.job);
    if (a.command == "supervise")
        return runSupervisor(base, a.job, a.attempt);
    if (a.command == "sample")
        return runSampler(base, a.job, a.attempt, a.node, std::chrono::milliseconds(a.interval));
    if (a.command == "launch")
        return runLaunch(base, a.job);
    if (a.command == "rank")
        return runRank(base, a.job, a.attempt);
    std::fputs(usage, stderr);
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    ::umask(077);
    ::signal(SIGPIPE, SIG_IGN);
    Arguments arguments;
    if (!parse(argc, argv, arguments)) {
        std::fputs(usage, stderr);
        return 2;
    }
    try {
        return run(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "coxswain-agent: %s\n", error.what());
        return 1;
    }
}
