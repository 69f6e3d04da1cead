// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace coxswain::agent {

/// Owns a file descriptor.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : m_number(number) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            close();
            m_number = std::exchange(other.m_number, -1);
        }
        return *this;
    }
    int number() const { return m_number; }
    bool isOpen() const { return m_number >= 0; }
    void close();

private:
    int m_number;
};

/// Reads until `bytes` are there or the end; returns how many.
std::size_t readFully(int descriptor, void* data, std::size_t bytes);
/// False when the descriptor takes no more; errno says why.
bool writeFully(int descriptor, const void* data, std::size_t bytes);
/// The whole of a file, at most `limit` bytes; empty when it cannot be read (then `error` is set).
std::string readFile(const std::string& path, std::size_t limit, std::string* error = nullptr);
/// Puts `content` in the place of `path`, whole or not at all. Throws Failure.
void replaceFile(const std::string& path, const std::string& content, int mode);
/// Seconds since 1970 by this machine's clock.
double wallClock();

} // namespace coxswain::agent
