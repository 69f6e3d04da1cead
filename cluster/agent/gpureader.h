// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace coxswain::agent {

/// One long-lived nvidia-smi that prints a row a GPU each second: starting it for each sample costs up to
/// seconds without persistence mode. Does nothing on a node without nvidia-smi.
class GpuReader {
public:
    GpuReader();
    ~GpuReader();
    GpuReader(const GpuReader&) = delete;
    GpuReader& operator=(const GpuReader&) = delete;

    /// The newest row of each GPU, as nvidia-smi printed it; empty before the first, and when it has ended.
    std::vector<std::string> newest() const;

private:
    void readRows();
    void take(const std::string& row);

    pid_t m_child = -1;
    int m_in = -1;
    std::atomic<bool> m_ends = false;
    mutable std::mutex m_mutex;
    std::vector<std::pair<std::string, std::string>> m_rows; ///< first cell → row
    std::thread m_thread;
};

} // namespace coxswain::agent
