// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/health.h"

#include <QString>

/// The words around a check's data (core::CheckResult), by its id.
namespace coxswain::ui::checktexts {

/// "Free disk"; the id itself for a check that this version does not know.
QString title(const QString& id);
/// Why it matters for a run, one or two sentences; empty for an unknown id.
QString why(const QString& id);

/// "OK", "Note", "Warning", "Error", "Unknown"
QString severityTitle(core::Severity severity);

/// The command of a fix such as "Free some space: du -xsh ~ | sort -h"; empty where the fix is only a
/// sentence.
QString command(const QString& fix);

} // namespace coxswain::ui::checktexts
