// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace coxswain::job {

/// Folders of the desktop side. Made once by the composition root and passed on.
struct Paths {
    QString config;   ///< $XDG_CONFIG_HOME/coxswain: settings, known nodes
    QString runs;     ///< $XDG_DATA_HOME/coxswain/runs: one folder a run
    QString cache;    ///< $XDG_CACHE_HOME/coxswain: shards by content, packed runtimes
    QString agent;    ///< the coxswain-agent program that is sent to nodes
    QString runtimes; ///< folder of the runtimes that were built: runtimes/cpu, runtimes/cu13

    /// By XDG_* and by where this program lies (build/bin or an installed prefix).
    static Paths standard();
};

} // namespace coxswain::job
