// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
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
/// Calls take(bytes) for each block of an open file until its end. Throws Failure, which names `path`.
void readBlocks(const Descriptor& file, const std::string& path,
                const std::function<void(std::string_view)>& take);
/// Puts `content` in the place of `path`, whole or not at all. Throws Failure.
void replaceFile(const std::string& path, const std::string& content, int mode);
/// `path` with an ending that no other process uses, on any machine that shares the disk: for what is written
/// first and renamed when it is complete.
std::string partialName(const std::string& path);
inline constexpr const char* partialMark = ".partial-";
/// Seconds since 1970 by this machine's clock.
double wallClock();

} // namespace coxswain::agent
