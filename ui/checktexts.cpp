// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checktexts.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace coxswain::ui::checktexts {
namespace {

struct Texts {
    const char* id;
    const char* title;
    const char* why;
};

constexpr Texts texts[] = {
    {"reachability", QT_TRANSLATE_NOOP("Checks", "Reachable"),
     QT_TRANSLATE_NOOP("Checks", "Everything on a node goes through one SSH login and a small helper that is "
                                 "put there. Without it the node cannot take part.")},
    {"architecture", QT_TRANSLATE_NOOP("Checks", "Architecture"),
     QT_TRANSLATE_NOOP("Checks", "The trainer and all its libraries are built for this architecture.")},
    {"kernel", QT_TRANSLATE_NOOP("Checks", "Kernel"),
     QT_TRANSLATE_NOOP("Checks", "The runtime brings its own C library, which refuses to start on a kernel "
                                 "that is too old.")},
    {"os", QT_TRANSLATE_NOOP("Checks", "System"),
     QT_TRANSLATE_NOOP("Checks", "For your information: the runtime brings all libraries it needs.")},
    {"glibc", QT_TRANSLATE_NOOP("Checks", "C library"),
     QT_TRANSLATE_NOOP("Checks", "For your information: the runtime brings its own C library.")},
    {"cores", QT_TRANSLATE_NOOP("Checks", "Cores"),
     QT_TRANSLATE_NOOP("Checks",
                       "Ranks share the node's cores; data loading and communication need them too.")},
    {"memory", QT_TRANSLATE_NOOP("Checks", "Memory"),
     QT_TRANSLATE_NOOP("Checks", "A rank that runs out of memory is killed by the kernel, and the whole job "
                                 "ends with it.")},
    {"disk", QT_TRANSLATE_NOOP("Checks", "Free disk"),
     QT_TRANSLATE_NOOP("Checks", "The runtime, the data shards, checkpoints and metrics are written there. A "
                                 "disk that fills up ends the run.")},
    {"shared_memory", QT_TRANSLATE_NOOP("Checks", "Shared memory"),
     QT_TRANSLATE_NOOP("Checks",
                       "Ranks on one node talk to each other through /dev/shm; when it is too small "
                       "they fail at start.")},
    {"ssh_client", QT_TRANSLATE_NOOP("Checks", "SSH client"),
     QT_TRANSLATE_NOOP("Checks", "The first node starts the ranks on the others by ssh.")},
    {"driver", QT_TRANSLATE_NOOP("Checks", "NVIDIA driver"),
     QT_TRANSLATE_NOOP("Checks",
                       "The GPU runtime uses the node's driver; an older one cannot load CUDA 13.")},
    {"gpu", QT_TRANSLATE_NOOP("Checks", "GPUs"),
     QT_TRANSLATE_NOOP("Checks", "One rank runs on each usable GPU. A GPU that fails would stop all ranks.")},
    {"cuda_toolkit", QT_TRANSLATE_NOOP("Checks", "CUDA toolkit"),
     QT_TRANSLATE_NOOP("Checks", "For your information: the runtime brings its own CUDA libraries.")},
    {"nccl", QT_TRANSLATE_NOOP("Checks", "NCCL"),
     QT_TRANSLATE_NOOP("Checks", "For your information: the runtime brings its own NCCL.")},
    {"subnet", QT_TRANSLATE_NOOP("Checks", "Common network"),
     QT_TRANSLATE_NOOP("Checks", "Ranks talk to each other over one network that every node must have. It is "
                                 "pinned, so that no bridge or second card is chosen by chance.")},
    {"duplicate_address", QT_TRANSLATE_NOOP("Checks", "Duplicate addresses"),
     QT_TRANSLATE_NOOP("Checks", "An address that two nodes share (often a container bridge) leads ranks to "
                                 "themselves instead of to each other.")},
    {"head_ssh", QT_TRANSLATE_NOOP("Checks", "First node's ssh"),
     QT_TRANSLATE_NOOP("Checks", "The first node starts the ranks on the others by ssh.")},
    {"differs_kernel", QT_TRANSLATE_NOOP("Checks", "Kernels differ"),
     QT_TRANSLATE_NOOP("Checks", "Rarely a problem, but the first thing to look at when one node behaves "
                                 "differently.")},
    {"differs_os", QT_TRANSLATE_NOOP("Checks", "Systems differ"),
     QT_TRANSLATE_NOOP("Checks", "Rarely a problem, but the first thing to look at when one node behaves "
                                 "differently.")},
    {"differs_driver", QT_TRANSLATE_NOOP("Checks", "Drivers differ"),
     QT_TRANSLATE_NOOP("Checks", "The lowest driver decides which runtime all nodes use.")},
    {"differs_gpu", QT_TRANSLATE_NOOP("Checks", "GPUs differ"),
     QT_TRANSLATE_NOOP("Checks", "All ranks wait for the slowest one in every step.")},
    {"differs_cores", QT_TRANSLATE_NOOP("Checks", "Cores differ"),
     QT_TRANSLATE_NOOP("Checks", "All ranks wait for the slowest one in every step.")},
};

const Texts* find(const QString& id) {
    for (const auto& entry : texts)
        if (id == QLatin1String(entry.id))
            return &entry;
    return nullptr;
}

} // namespace

QString title(const QString& id) {
    const Texts* found = find(id);
    return found ? QCoreApplication::translate("Checks", found->title) : id;
}

QString why(const QString& id) {
    const Texts* found = find(id);
    return found ? QCoreApplication::translate("Checks", found->why) : QString();
}

QString severityTitle(core::Severity severity) {
    switch (severity) {
    case core::Severity::Ok:
        return QCoreApplication::translate("Checks", "OK");
    case core::Severity::Info:
        return QCoreApplication::translate("Checks", "Note");
    case core::Severity::Warning:
        return QCoreApplication::translate("Checks", "Warning");
    case core::Severity::Error:
        return QCoreApplication::translate("Checks", "Error");
    case core::Severity::Unknown:
        break;
    }
    return QCoreApplication::translate("Checks", "Unknown");
}

QString command(const QString& fix) {
    // Where the words end and the command begins: at the start, or after a colon.
    static const QRegularExpression pattern(QStringLiteral(
        "(?:^|: "
        ")((?:sudo|ssh|ssh-keygen|ssh-copy-id|ssh-add|du|df|ps|ls|lspci|nvidia-smi|ip|cat|apt-get|mount|"
        "chmod|systemctl|dmesg|uname|coxswain-cli|scripts/\\S+) [^\n]*)"));
    const auto match = pattern.match(fix);
    if (!match.hasMatch())
        return {};
    QString text = match.captured(1);
    // "… (in Docker: --shm-size=1g)" and "…; leave the node out" are words again.
    static const QRegularExpression words(
        QStringLiteral("( \\([^()]*\\)|; [a-z]+ (the|it|another) .*|, (or|and) .*)$"));
    return text.remove(words).trimmed();
}

} // namespace coxswain::ui::checktexts
