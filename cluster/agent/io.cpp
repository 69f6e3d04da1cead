// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/io.h"

#include "cluster/agent/failure.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>

namespace coxswain::agent {

void Descriptor::close() {
    if (m_number >= 0)
        ::close(std::exchange(m_number, -1));
}

std::size_t readFully(int descriptor, void* data, std::size_t bytes) {
    std::size_t got = 0;
    while (got < bytes) {
        const ssize_t n = ::read(descriptor, static_cast<char*>(data) + got, bytes - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        got += static_cast<std::size_t>(n);
    }
    return got;
}

bool writeFully(int descriptor, const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t n = ::write(descriptor, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        at += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

std::string readFile(const std::string& path, std::size_t limit, std::string* error) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    std::string content;
    char block[1 << 14];
    while (file.isOpen() && content.size() < limit) { // files of /proc say nothing of their size
        const ssize_t n = ::read(file.number(), block, std::min(limit - content.size(), sizeof block));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && error)
            *error = std::strerror(errno);
        if (n <= 0)
            break;
        content.append(block, static_cast<std::size_t>(n));
    }
    if (!file.isOpen() && error)
        *error = std::strerror(errno);
    return content;
}

void readBlocks(const Descriptor& file, const std::string& path,
                const std::function<void(std::string_view)>& take) {
    std::string block(1 << 20, '\0');
    while (true) {
        const ssize_t n = ::read(file.number(), block.data(), block.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            throw systemFailure("read " + path);
        if (n == 0)
            return;
        take({block.data(), static_cast<std::size_t>(n)});
    }
}

std::string partialName(const std::string& path) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number)
        throw systemFailure("get a random number");
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
    return path + partialMark + text;
}

void replaceFile(const std::string& path, const std::string& content, int mode) {
    const std::string partial = partialName(path);
    Descriptor file(::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    const bool good = file.isOpen() && writeFully(file.number(), content.data(), content.size()) &&
                      ::fchmod(file.number(), static_cast<mode_t>(mode)) == 0 &&
                      ::fsync(file.number()) == 0 && ::rename(partial.c_str(), path.c_str()) == 0;
    if (!good) {
        const int error = errno;
        ::unlink(partial.c_str());
        throw systemFailure("write " + path, error);
    }
}

double wallClock() {
    using namespace std::chrono;
    return duration<double>(system_clock::now().time_since_epoch()).count();
}

} // namespace coxswain::agent
