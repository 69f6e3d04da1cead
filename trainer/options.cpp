// SPDX-License-Identifier: Apache-2.0
#include "trainer/options.h"

#include <getopt.h>

#include <cstdio>
#include <cstdlib>

namespace coxswain::trainer {
namespace {

constexpr const char* usage = R"(usage: coxswain-trainer JOB.json [--output DIR] [--attempt N]
       coxswain-trainer tokenize MODEL [OPTION]...   see coxswain-trainer tokenize --help
       coxswain-trainer score MODEL DATA [--json]
       coxswain-trainer gradients MODEL DATA [--json]

Trains what JOB.json describes, as one rank; mpirun starts one process a rank. Without mpirun it is a world of one.

  --output DIR   where rank-<r>.jsonl and checkpoints/ go (default: JOB.json's folder)
  --attempt N    number of this attempt, written into each metrics line (default: 1)
)";

} // namespace

std::optional<Options> parseOptions(int argc, char** argv) {
    Options options;
    const option known[] = {{"output", required_argument, nullptr, 'o'},
                            {"attempt", required_argument, nullptr, 'a'},
                            {"help", no_argument, nullptr, 'h'},
                            {nullptr, 0, nullptr, 0}};
    for (int c = 0; (c = ::getopt_long(argc, argv, "o:a:h", known, nullptr)) != -1;) {
        switch (c) {
        case 'o':
            options.output = optarg;
            break;
        case 'a':
            options.attempt = std::atoi(optarg);
            break;
        case 'h':
            options.showHelp = true;
            break;
        default:
            std::fputs(usage, stderr);
            return std::nullopt;
        }
    }
    if (options.showHelp) {
        std::fputs(usage, stdout);
        return options;
    }
    if (optind + 1 != argc || options.attempt < 1) {
        std::fputs(usage, stderr);
        return std::nullopt;
    }
    options.job = argv[optind];
    if (options.output.empty())
        options.output = std::filesystem::absolute(options.job).parent_path();
    return options;
}

} // namespace coxswain::trainer
