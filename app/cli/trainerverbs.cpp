// SPDX-License-Identifier: GPL-3.0-or-later
// Verbs of coxswain-trainer on this machine, by the CPU runtime that nodes get too.
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "cluster/job/paths.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace coxswain::cli {
namespace {

/// Becomes the trainer; returns only when that fails.
int becomeTrainer(const char* verb, const QStringList& arguments) {
    const QString runtime = job::Paths::standard().runtimes + QStringLiteral("/cpu");
    const QString libraries = runtime + QStringLiteral("/lib");
    QStringList command{libraries + QStringLiteral("/ld-linux-x86-64.so.2"), QStringLiteral("--library-path"),
                        libraries, runtime + QStringLiteral("/bin/coxswain-trainer"),
                        QString::fromLatin1(verb)};
    command += arguments;
    std::vector<QByteArray> texts;
    for (const auto& part : command)
        texts.push_back(part.toLocal8Bit());
    std::vector<char*> argv;
    for (auto& text : texts)
        argv.push_back(text.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    complain(
        QStringLiteral("cannot start %1: %2").arg(command[0], QString::fromLocal8Bit(std::strerror(errno))));
    return 1;
}

} // namespace

int tokenizeVerb(const QStringList& arguments) {
    return becomeTrainer("tokenize", arguments);
}

int scoreVerb(const QStringList& arguments) {
    return becomeTrainer("score", arguments);
}

int gradientsVerb(const QStringList& arguments) {
    return becomeTrainer("gradients", arguments);
}

} // namespace coxswain::cli
