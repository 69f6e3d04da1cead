// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/store.h"

#include "cluster/agent/failure.h"
#include "trainer/wire/layout.h"
#include "trainer/wire/sha256.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <exception>

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
          m_partial(storePath(m_digest) + ".partial-" + std::to_string(::getpid())) {
        requireSpace(base, size);
        m_file = base.openFile(m_partial, O_WRONLY | O_CREAT | O_TRUNC);
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

void copyFromDisk(const std::string& path, Incoming& incoming) {
    const Descriptor source(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!source.isOpen())
        throw systemFailure("read " + path);
    std::string block(1 << 20, '\0');
    ssize_t n = 0;
    while ((n = ::read(source.number(), block.data(), block.size())) > 0)
        incoming.take({block.data(), static_cast<std::size_t>(n)});
    if (n < 0)
        throw systemFailure("read " + path);
}

std::string digestOfFile(const std::string& path) {
    wire::Sha256 hash;
    const Descriptor source(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!source.isOpen())
        throw systemFailure("read " + path);
    std::string block(1 << 20, '\0');
    ssize_t n = 0;
    while ((n = ::read(source.number(), block.data(), block.size())) > 0)
        hash.update(block.data(), static_cast<std::size_t>(n));
    return hash.hexDigest();
}

/// On this machine itself a file is linked, not copied; where that is impossible (another disk) it is copied.
void putLocal(const Folder& base, const std::string& digest, std::uint64_t size, const std::string& file) {
    const std::string partial = storePath(digest) + ".partial-" + std::to_string(::getpid());
    base.openFolder(wire::layout::storeFolder, true);
    if (::link(file.c_str(), base.absolute(partial).c_str()) == 0) {
        if (digestOfFile(base.absolute(partial)) == digest)
            return base.rename(partial, storePath(digest));
        base.remove(partial);
        throw Failure("damaged", "take " + file, "it has another content than was announced");
    }
    Incoming incoming(base, digest, size);
    copyFromDisk(file, incoming);
    incoming.finish();
}

void placeFile(const Folder& base, const std::string& root, const json& entry) {
    const auto path = root + '/' + entry.at("path").get<std::string>();
    const auto mode = static_cast<mode_t>(entry.at("mode").get<int>() & 0777);
    const std::string stored = base.absolute(storePath(digestIn(entry)));
    struct stat status {};
    if (::lstat(stored.c_str(), &status) != 0)
        throw systemFailure("find " + stored + " in the store");
    Folder::parts(path);
    base.openFolder(path.substr(0, path.rfind('/')), true);
    const std::string target = base.absolute(path);
    if ((status.st_mode & 0777) != mode && ::chmod(stored.c_str(), mode) != 0)
        throw systemFailure("set the mode of " + stored);
    if (::link(stored.c_str(), target.c_str()) == 0)
        return;
    const Descriptor in(::open(stored.c_str(), O_RDONLY | O_CLOEXEC));
    const Descriptor out = base.openFile(path, O_WRONLY | O_CREAT | O_TRUNC);
    std::string block(1 << 20, '\0');
    ssize_t n = 0;
    while ((n = ::read(in.number(), block.data(), block.size())) > 0)
        if (!writeFully(out.number(), block.data(), static_cast<std::size_t>(n)))
            throw systemFailure("write " + target);
    if (n < 0 || ::fchmod(out.number(), mode) != 0)
        throw systemFailure("copy to " + target);
}

} // namespace

void requireSpace(const Folder& base, std::uint64_t bytes) {
    struct statvfs disk {};
    if (::fstatvfs(base.descriptor(), &disk) != 0)
        throw systemFailure("ask for free space in " + base.path());
    const std::uint64_t free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
    if (free < bytes + reserveBytes)
        throw Failure("no_space", "write " + std::to_string(bytes) + " bytes below " + base.path(),
                      std::to_string(free) + " bytes are free there, " + std::to_string(reserveBytes) +
                          " of them are kept in reserve",
                      {{"needed", bytes + reserveBytes}, {"free", free}});
}

json missing(const Folder& base, const json& request) {
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
    const std::string partial = root + ".partial-" + std::to_string(::getpid());
    base.remove(partial);
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
    channel.readData([&](std::string_view bytes) {
        if (content.size() + bytes.size() <= maxJsonBytes)
            content += bytes;
    });
    const auto path = request.at("path").get<std::string>();
    const auto parts = Folder::parts(path);
    base.openFolder(path.substr(0, path.size() - parts.back().size() - 1), true);
    replaceFile(base.absolute(path), content, request.at("mode").get<int>() & 0777);
    return json::object();
}

} // namespace coxswain::agent
