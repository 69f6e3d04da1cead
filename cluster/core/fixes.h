// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/wire/exitcode.h"

#include <QString>

/// The dictionary from error to fix. Private to cluster/core.
namespace coxswain::core {

/// What to do about a text of nvidia-smi, the kernel, NCCL, Open MPI, ssh or the loader; empty for one that
/// is not known. Where several are known, the more particular one.
QString knownFix(const QString& text);

/// What to do when the trainer ended with `code`; empty where only its message can tell.
QString fixForExit(wire::ExitCode code);

/// What to do about a process that died by a signal (its number); empty for one that says nothing.
QString fixForSignal(int signal);

} // namespace coxswain::core
