// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/runfolder.h"

class QIODevice;

namespace coxswain::job {

/// Every step line of every rank of a run, rank after rank, one row each, a header row first; missing values
/// are empty cells. Reads the rank files, so that it works without a store. Values are as in the files.
core::Expected<void> exportCsv(const RunFolder& folder, QIODevice& out);

} // namespace coxswain::job
