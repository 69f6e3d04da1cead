// SPDX-License-Identifier: Apache-2.0
#include "trainer/train/metricswriter.h"

#include "trainer/dist/errors.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace coxswain::trainer {

MetricsWriter::MetricsWriter(const std::filesystem::path& file, int attempt)
    : m_file(file), m_attempt(attempt),
      m_descriptor(::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600)) {
    if (m_descriptor < 0)
        throw TrainerError(wire::ExitCode::Disk,
                           "cannot open " + file.string() + ": " + std::strerror(errno));
    // An attempt that was killed while it wrote may have left half a line.
    char last = '\n';
    const off_t end = ::lseek(m_descriptor, 0, SEEK_END);
    if (end > 0 && ::pread(m_descriptor, &last, 1, end - 1) == 1 && last != '\n')
        m_halfLine = true;
}

MetricsWriter::~MetricsWriter() {
    ::close(m_descriptor);
}

void MetricsWriter::write(wire::LineBody body) {
    if (!append(wire::toJsonLine({m_attempt, wallClock(), std::move(body)})))
        throw TrainerError(wire::ExitCode::Disk,
                           "cannot write " + m_file.string() + ": " + std::strerror(errno));
}

void MetricsWriter::writeLastWords(wire::LineBody body) noexcept {
    try {
        append(wire::toJsonLine({m_attempt, wallClock(), std::move(body)}));
        ::fsync(m_descriptor);
    } catch (const std::exception&) {
        // Out of memory: the words on standard error have to do.
    }
}

bool MetricsWriter::append(std::string line) noexcept {
    if (m_halfLine)
        line.insert(line.begin(), '\n');
    ssize_t written = 0;
    do
        written = ::write(m_descriptor, line.data(), line.size());
    while (written < 0 && errno == EINTR);
    const bool whole = written == static_cast<ssize_t>(line.size());
    if (written > 0)
        m_halfLine = !whole;
    if (written >= 0 && !whole)
        errno = ENOSPC; // a short write to a regular file
    return whole;
}

double wallClock() {
    using namespace std::chrono;
    return duration<double>(system_clock::now().time_since_epoch()).count();
}

} // namespace coxswain::trainer
