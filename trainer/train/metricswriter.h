// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/metrics.h"

#include <atomic>
#include <filesystem>

namespace coxswain::trainer {

/// Appends lines to a rank's metrics file. A line is one write(), so that a reader never sees two halves of
/// different lines; what a crash or a full disk cut off is closed by a newline before the next line.
class MetricsWriter {
public:
    /// Throws TrainerError(Disk).
    MetricsWriter(const std::filesystem::path& file, int attempt);
    ~MetricsWriter();
    MetricsWriter(const MetricsWriter&) = delete;
    MetricsWriter& operator=(const MetricsWriter&) = delete;

    /// Throws TrainerError(Disk) when the line cannot be written whole.
    void write(wire::LineBody body);
    /// For the way out: writes and syncs, and reports no failure. Legal from any thread.
    void writeLastWords(wire::LineBody body) noexcept;

private:
    bool append(std::string line) noexcept;

    std::filesystem::path m_file;
    int m_attempt;
    int m_descriptor;
    std::atomic<bool> m_halfLine{false}; ///< the file ends within a line
};

/// Seconds since 1970 by this machine's clock.
double wallClock();

} // namespace coxswain::trainer
