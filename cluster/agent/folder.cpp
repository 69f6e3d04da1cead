// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/folder.h"

#include "cluster/agent/failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace coxswain::agent {
namespace {

std::string nameOf(const std::string& path) {
    return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

} // namespace

Folder::Folder(std::string base) : m_base(std::move(base)) {
    m_descriptor = Descriptor(::open(m_base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!m_descriptor.isOpen())
        throw systemFailure("open " + m_base);
}

std::vector<std::string> Folder::parts(const std::string& path) {
    std::vector<std::string> parts;
    const auto refuse = [&] {
        throw Failure("bad_input", "use the path \"" + path + '"',
                      "expected a relative path without \"..\" and without empty parts");
    };
    if (path.empty() || path.size() > 4000 || path.find('\0') != std::string::npos)
        refuse();
    std::size_t at = 0;
    while (at <= path.size()) {
        const auto end = std::min(path.find('/', at), path.size());
        parts.push_back(path.substr(at, end - at));
        if (parts.back().empty() || parts.back() == "." || parts.back() == "..")
            refuse();
        at = end + 1;
    }
    return parts;
}

std::string Folder::parentOf(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

Descriptor Folder::openFolder(const std::string& path, bool create) const {
    Descriptor at(::fcntl(m_descriptor.number(), F_DUPFD_CLOEXEC, 0));
    if (path.empty())
        return at;
    for (const auto& part : parts(path)) {
        if (create && ::mkdirat(at.number(), part.c_str(), 0700) != 0 && errno != EEXIST)
            throw systemFailure("create the folder " + absolute(path));
        Descriptor next(::openat(at.number(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!next.isOpen())
            throw systemFailure("open the folder " + absolute(path));
        at = std::move(next);
    }
    return at;
}

Descriptor Folder::openFile(const std::string& path, int flags, int mode) const {
    parts(path);
    const Descriptor folder = openFolder(parentOf(path), (flags & O_CREAT) != 0);
    Descriptor file(::openat(folder.number(), nameOf(path).c_str(), flags | O_NOFOLLOW | O_CLOEXEC,
                             static_cast<mode_t>(mode)));
    if (!file.isOpen())
        throw systemFailure("open " + absolute(path));
    return file;
}

bool Folder::exists(const std::string& path) const {
    try {
        parts(path);
        const Descriptor folder = openFolder(parentOf(path), false);
        struct stat status {};
        return ::fstatat(folder.number(), nameOf(path).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    } catch (const Failure&) {
        return false;
    }
}

void Folder::remove(const std::string& path) const {
    parts(path);
    if (!exists(path))
        return;
    std::error_code error;
    std::filesystem::remove_all(absolute(path), error); // does not follow links
    if (error)
        throw systemFailure("remove " + absolute(path), error.value());
}

void Folder::rename(const std::string& from, const std::string& to) const {
    parts(from);
    parts(to);
    const Descriptor source = openFolder(parentOf(from), false);
    const Descriptor target = openFolder(parentOf(to), true);
    if (::renameat(source.number(), nameOf(from).c_str(), target.number(), nameOf(to).c_str()) != 0)
        throw systemFailure("rename " + absolute(from) + " to " + to);
}

} // namespace coxswain::agent
