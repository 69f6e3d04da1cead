// SPDX-License-Identifier: GPL-3.0-or-later
// coxswain-cli: the window's work without a window.
#include "app/cli/output.h"
#include "app/cli/verbs.h"

#include <QCoreApplication>

#include <cstdio>

namespace {

struct Verb {
    const char* name;
    const char* help;
    int (*run)(const QStringList&);
};

constexpr Verb verbs[] = {
    {"nodes", "add, list, remove or clean nodes", coxswain::cli::nodesVerb},
    {"check", "connect to nodes and check that they can run a job", coxswain::cli::checkVerb},
    {"plan", "show what a job would do, without sending anything", coxswain::cli::planVerb},
    {"run", "run a job: check, sync, launch, follow", coxswain::cli::runVerb},
    {"runs", "list all runs", coxswain::cli::runsVerb},
    {"attach", "follow a run that was started before", coxswain::cli::attachVerb},
    {"stop", "end a run: save the model and end, or --now", coxswain::cli::stopVerb},
    {"export", "write a run's metrics as CSV", coxswain::cli::exportVerb},
    {"tokenize", "what a model's tokenizer makes of lines of text", coxswain::cli::tokenizeVerb},
    {"score", "a model's loss and perplexity on samples", coxswain::cli::scoreVerb},
    {"gradients", "a model's loss and gradient norms on one batch", coxswain::cli::gradientsVerb},
};

void usage(FILE* out) {
    std::fputs("usage: coxswain-cli VERB [OPTIONS]\n\nLaunches and watches training on several machines.\n\n",
               out);
    for (const auto& verb : verbs)
        std::fprintf(out, "  %-9s %s\n", verb.name, verb.help);
    std::fputs("\n'coxswain-cli VERB --help' explains a verb.\n", out);
}

/// A script must not take a summary that was not written for one.
int ended(int status) {
    if (std::fflush(stdout) == 0 && !std::ferror(stdout))
        return status;
    coxswain::cli::complain(QStringLiteral("standard output cannot be written; is its disk full?"));
    return status == 0 ? 1 : status;
}

int runVerb(const QStringList& arguments) {
    const QString verb = arguments.value(1);
    for (const auto& known : verbs)
        if (verb == QLatin1StringView(known.name))
            return known.run(arguments.mid(2));
    if (verb == QLatin1String("--version")) {
        std::puts("coxswain-cli " COXSWAIN_VERSION);
        return 0;
    }
    const bool help = verb == QLatin1String("--help") || verb == QLatin1String("-h");
    if (!help && !verb.isEmpty())
        coxswain::cli::complain(QStringLiteral("unknown verb '%1'").arg(verb));
    usage(help ? stdout : stderr);
    return help ? 0 : 2;
}

} // namespace

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("coxswain-cli"));
    QCoreApplication::setApplicationVersion(QStringLiteral(COXSWAIN_VERSION));
    return ended(runVerb(application.arguments()));
}
