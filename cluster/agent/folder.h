// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/io.h"

#include <string>
#include <vector>

namespace coxswain::agent {

/// The agent's base folder. Every path that a request names goes through here: it is relative, has no "..",
/// and no part of it may be a symbolic link, so that nothing outside of the base is ever touched.
class Folder {
public:
    /// Opens the base; throws Failure.
    explicit Folder(std::string base);

    const std::string& path() const { return m_base; }
    int descriptor() const { return m_descriptor.number(); }
    std::string absolute(const std::string& path) const { return m_base + '/' + path; }

    /// The parts of a path that a request gave. Throws Failure("bad_input") for one that is not allowed.
    static std::vector<std::string> parts(const std::string& path);

    /// The folder that a path lies in; empty for one directly below the base.
    static std::string parentOf(const std::string& path);

    /// An open folder below the base. With `create`, missing ones are made with mode 0700.
    Descriptor openFolder(const std::string& path, bool create) const;
    /// A file below the base; flags and mode as for open(2). Missing folders are made when flags have
    /// O_CREAT.
    Descriptor openFile(const std::string& path, int flags, int mode = 0600) const;
    bool exists(const std::string& path) const;
    /// Removes a file or a whole tree; nothing happens when it is not there.
    void remove(const std::string& path) const;
    /// Within the base. Throws Failure.
    void rename(const std::string& from, const std::string& to) const;

private:
    std::string m_base;
    Descriptor m_descriptor;
};

} // namespace coxswain::agent
