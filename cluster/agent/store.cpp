// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/store.h"

#include "cluster/agent/failure.h"
#include "trainer/wire/layout.h"
#include "trainer/wire/sha256.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <ctime>
#include <exception>
#include <filesystem>

namespace coxswain::agent {
namespace {

using nlohmann::json;

/// Left free beside what is written, so that a full disk does not stop the node's other users.
constexpr std::uint64_t reserveBytes = 64 << 20;
constexpr const char* completeMark = ".coxswain-tree";

std::string digestIn(const json& request) {
    const auto digest = request.at("digest").get<std::string>();
    if (!wire::isSha256Hex(digest))
        throw Failure("bad_input", "read a digest", "expected 64 hexadecimal digits");
    return digest;
}

std::string storePath(const std::string& digest) {
    return std::string(wire::layout::storeFolder) + '/' + digest;
}

/// A file of the store that is being written: verified and put in place by finish(), else removed.
class Incoming {
public:
    Incoming(const Folder& base, std::string digest, std::uint64_t size)
        : m_base(base), m_digest(std::move(digest)), m_size(size),
          m_partial(partialName(storePath(m_digest))) {
        requireSpace(base, size);
        m_file = base.openFile(m_partial, O_WRONLY | O_CREAT | O_EXCL);
    }
    ~Incoming() {
        if (m_file.isOpen())
            ::unlink(m_base.absolute(m_partial).c_str());
    }
    void take(std::string_view bytes) {
        m_got += bytes.size();
        if (m_got > m_size)
            throw Failure("damaged", "receive " + m_digest, "more bytes came than were announced");
        m_hash.update(bytes);
        if (!writeFully(m_file.number(), bytes.data(), bytes.size()))
            throw systemFailure("write " + m_base.absolute(m_partial));
    }
    void finish() {
        const std::string seen = m_hash.hexDigest();
        if (m_got != m_size || seen != m_digest)
            throw Failure("damaged", "receive " + m_digest,
                          "expected " + std::to_string(m_size) + " bytes with that digest, got " +
                              std::to_string(m_got) + " with " + seen);
        // No fsync: after a power cut a damaged entry is found by size or by the program that loads it, and
        // syncing every file would make the first copy several times slower.
        m_base.rename(m_partial, storePath(m_digest));
        m_file.close();
    }

private:
    const Folder& m_base;
    std::string m_digest;
    std::uint64_t m_size;
    std::string m_partial;
    Descriptor m_file;
    wire::Sha256 m_hash;
    std::uint64_t m_got = 0;
};

/// On this machine itself a file is linked, not copied; where that is impossible (another disk) it is copied.
void putLocal(const Folder& base, const std::string& digest, std::uint64_t size, const std::string& file) {
    const std::string partial = partialName(storePath(digest));
    const Descriptor source(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!source.isOpen())
        throw systemFailure("read " + file);
    const Descriptor folder = base.openFolder(wire::layout::storeFolder, true);
    // AT_SYMLINK_FOLLOW: the store holds contents, never links to something else.
    if (::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, base.absolute(partial).c_str(), AT_SYMLINK_FOLLOW) != 0) {
        Incoming incoming(base, digest, size);
        readBlocks(source, file, [&](std::string_view bytes) { incoming.take(bytes); });
        return incoming.finish();
    }
    wire::Sha256 hash;
    try {
        readBlocks(source, file, [&](std::string_view bytes) { hash.update(bytes); });
        if (hash.hexDigest() != digest)
            throw Failure("damaged", "take " + file, "it has another content than was announced");
        base.rename(partial, storePath(digest));
    } catch (...) {
        base.remove(partial);
        throw;
    }
}

/// A link into the store when that is possible without a change to anyone else's mode, else a copy.
void placeFile(const Folder& base, const std::string& root, const json& entry) {
    const auto path = root + '/' + entry.at("path").get<std::string>();
    Folder::parts(path);
    const auto mode = static_cast<mode_t>(entry.at("mode").get<int>() & 0777);
    const std::string stored = base.absolute(storePath(digestIn(entry)));
    const std::string target = base.absolute(path);
    const Descriptor in(::open(stored.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {};
    if (!in.isOpen() || ::fstat(in.number(), &status) != 0)
        throw systemFailure("find " + stored + " in the store");
    base.openFolder(Folder::parentOf(path), true);
    if (status.st_nlink == 1 && (status.st_mode & 0777) != mode && ::fchmod(in.number(), mode) == 0)
        status.st_mode = (status.st_mode & ~static_cast<mode_t>(0777)) | mode;
    if ((status.st_mode & 0777) == mode && ::link(stored.c_str(), target.c_str()) == 0)
        return;
    const Descriptor out = base.openFile(path, O_WRONLY | O_CREAT | O_EXCL);
    readBlocks(in, stored, [&](std::string_view bytes) {
        if (!writeFully(out.number(), bytes.data(), bytes.size()))
            throw systemFailure("write " + target);
    });
    if (::fchmod(out.number(), mode) != 0)
        throw systemFailure("copy to " + target);
}

/// What interrupted agents left behind. Not what is young: it may be another desktop's, under way.
void removeStalePartials(const Folder& base) {
    std::error_code error;
    for (const char* folder : {wire::layout::storeFolder, wire::layout::runtimeFolder})
        for (const auto& entry : std::filesystem::directory_iterator(base.absolute(folder), error)) {
            const std::string name = entry.path().filename();
            struct stat status {};
            if (name.find(partialMark) != std::string::npos && ::lstat(entry.path().c_str(), &status) == 0 &&
                status.st_mtime + 24 * 3600 < ::time(nullptr))
                base.remove(std::string(folder) + '/' + name);
        }
}

} // namespace

void requireSpace(const Folder& base, std::uint64_t bytes) {
    struct statvfs disk {};
    if (::fstatvfs(base.descriptor(), &disk) != 0)
        throw systemFailure("ask for free space in " + base.path());
    const std::uint64_t free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
    if (free < reserveBytes || free - reserveBytes < bytes)
        throw Failure("no_space", "write " + std::to_string(bytes) + " bytes below " + base.path(),
                      std::to_string(free) + " bytes are free there, " + std::to_string(reserveBytes) +
                          " of them are kept in reserve",
                      {{"needed", bytes}, {"free", free < reserveBytes ? 0 : free - reserveBytes}});
}

json missing(const Folder& base, const json& request) {
    removeStalePartials(base);
    json list = json::array();
    for (const auto& entry : request.at("digests")) {
        const auto digest = entry.get<std::string>();
        if (!wire::isSha256Hex(digest))
            throw Failure("bad_input", "read a digest", "expected 64 hexadecimal digits");
        if (!base.exists(storePath(digest)))
            list.push_back(digest);
    }
    return {{"missing", std::move(list)}};
}

json put(const Folder& base, const json& request, Channel& channel) {
    const std::string digest = digestIn(request);
    const auto size = request.at("size").get<std::uint64_t>();
    if (const auto file = request.find("file"); file != request.end()) {
        putLocal(base, digest, size, file->get<std::string>());
        return json::object();
    }
    // The data come whether or not they can be taken: keep the first failure, and read them to their end.
    std::exception_ptr failure;
    std::unique_ptr<Incoming> incoming;
    const auto guarded = [&](auto&& action) {
        try {
            if (!failure)
                action();
        } catch (...) {
            failure = std::current_exception();
        }
    };
    guarded([&] { incoming = std::make_unique<Incoming>(base, digest, size); });
    channel.readData([&](std::string_view bytes) { guarded([&] { incoming->take(bytes); }); });
    guarded([&] { incoming->finish(); });
    if (failure)
        std::rethrow_exception(failure);
    return json::object();
}

json install(const Folder& base, const json& request) {
    const auto root = request.at("root").get<std::string>();
    Folder::parts(root);
    const std::string digest = wire::sha256Hex(request.at("files").dump());
    if (readFile(base.absolute(root + '/' + completeMark), 1000) == digest)
        return {{"made", false}};
    const std::string partial = partialName(root);
    base.openFolder(partial, true);
    try {
        for (const auto& entry : request.at("files"))
            placeFile(base, partial, entry);
        replaceFile(base.absolute(partial + '/' + completeMark), digest, 0600);
        base.remove(root); // another version of the same tree
        base.rename(partial, root);
    } catch (...) {
        base.remove(partial);
        throw;
    }
    return {{"made", true}};
}

json write(const Folder& base, const json& request, Channel& channel) {
    std::string content;
    std::size_t size = 0;
    channel.readData([&](std::string_view bytes) {
        size += bytes.size();
        if (size <= maxJsonBytes)
            content += bytes;
    });
    const auto path = request.at("path").get<std::string>();
    Folder::parts(path);
    if (size > maxJsonBytes)
        throw Failure("bad_input", "write " + path, "this is for small files");
    base.openFolder(Folder::parentOf(path), true);
    replaceFile(base.absolute(path), content, request.at("mode").get<int>() & 0777);
    return json::object();
}

} // namespace coxswain::agent
