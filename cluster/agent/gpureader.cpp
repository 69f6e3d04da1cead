// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/gpureader.h"

#include "cluster/agent/command.h"
#include "cluster/agent/detached.h"
#include "trainer/wire/layout.h"
#include "trainer/wire/metrics.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace coxswain::agent {

GpuReader::GpuReader() {
    const std::string program = findProgram("nvidia-smi");
    int ends[2];
    if (program.empty() || ::pipe2(ends, O_CLOEXEC) != 0)
        return;
    m_child = ::fork();
    if (m_child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL); // not to outlive a sampler that is killed
        ::dup2(ends[1], 1);
        ::unsetenv(wire::layout::jobVariable); // it must not keep alive the sampler that keeps it
        execute({program, std::string("--query-gpu=") + wire::gpuSampleFields,
                 "--format=csv,noheader,nounits", "-l", "1"},
                {{"LC_ALL", "C"}});
        ::_exit(127);
    }
    ::close(ends[1]);
    m_in = ends[0];
    m_thread = std::thread([this] { readRows(); });
}

GpuReader::~GpuReader() {
    if (m_child <= 0)
        return;
    m_ends = true;
    ::kill(m_child, SIGKILL);
    m_thread.join();
    ::waitpid(m_child, nullptr, WNOHANG); // a sick driver keeps it, unkillable: not this process as well
    ::close(m_in);
}

void GpuReader::readRows() {
    std::string line;
    char block[4096];
    while (!m_ends) {
        pollfd wait{m_in, POLLIN, 0};
        if (::poll(&wait, 1, 100) <= 0)
            continue;
        const ssize_t n = ::read(m_in, block, sizeof block);
        if (n <= 0)
            break;
        for (const char c : std::string_view(block, static_cast<std::size_t>(n))) {
            if (c == '\n')
                take(std::exchange(line, {}));
            else if (line.size() < sizeof block)
                line += c;
        }
    }
    const std::lock_guard lock(m_mutex);
    m_rows.clear();
}

void GpuReader::take(const std::string& row) {
    const std::string index = row.substr(0, row.find(','));
    const std::lock_guard lock(m_mutex);
    for (auto& [known, newest] : m_rows)
        if (known == index) {
            newest = row;
            return;
        }
    if (m_rows.size() < 64)
        m_rows.emplace_back(index, row);
}

std::vector<std::string> GpuReader::newest() const {
    const std::lock_guard lock(m_mutex);
    std::vector<std::string> rows;
    for (const auto& [index, row] : m_rows)
        rows.push_back(row);
    return rows;
}

} // namespace coxswain::agent
