// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/keys.h"

#include "cluster/agent/detached.h"
#include "cluster/agent/failure.h"
#include "cluster/agent/processes.h"
#include "trainer/wire/layout.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace coxswain::agent {
namespace {

using nlohmann::json;

std::string commentOf(const std::string& job) {
    return "coxswain-job-" + job;
}

/// authorized_keys under a lock, read and replaced as a whole. A link leads to the file that is meant.
class AuthorizedKeys {
public:
    AuthorizedKeys() {
        const char* home = std::getenv("HOME");
        if (!home || *home != '/')
            throw Failure("missing", "find ~/.ssh/authorized_keys", "HOME is not set");
        const std::string folder = std::string(home) + "/.ssh";
        if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
            throw systemFailure("create " + folder);
        m_path = folder + "/authorized_keys";
        char real[PATH_MAX];
        if (::realpath(m_path.c_str(), real))
            m_path = real;
        m_lock = Descriptor(
            ::open((folder + "/.coxswain.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!m_lock.isOpen() || ::flock(m_lock.number(), LOCK_EX) != 0)
            throw systemFailure("lock " + folder + "/.coxswain.lock");
        struct stat status {};
        m_mode = ::stat(m_path.c_str(), &status) == 0 ? static_cast<int>(status.st_mode & 0777) : 0600;
        std::string error;
        text = readFile(m_path, 16 << 20, &error);
        if (!error.empty() && ::access(m_path.c_str(), F_OK) == 0)
            throw Failure("permission", "read " + m_path, error);
    }
    void save() const { replaceFile(m_path, text, m_mode); }

    std::string text;

private:
    std::string m_path;
    Descriptor m_lock;
    int m_mode = 0600;
};

bool isPublicKey(const std::string& key) {
    constexpr std::string_view prefix = "ssh-ed25519 ";
    return key.starts_with(prefix) && key.size() > prefix.size() && key.size() < 200 &&
           std::all_of(key.begin() + prefix.size(), key.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '+' || c == '/' || c == '=';
           });
}

bool isOnly(const std::string& text, std::string_view allowed) {
    return !text.empty() && text.find_first_not_of(allowed) == std::string::npos;
}

int removeLines(std::string& text, const std::string& comment) {
    std::string kept;
    int removed = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size() - 1);
        std::string_view line(text.data() + at, end - at + 1);
        at = end + 1;
        std::string_view bare = line;
        while (!bare.empty() && (bare.back() == '\n' || bare.back() == '\r' || bare.back() == ' '))
            bare.remove_suffix(1);
        if (bare.ends_with(' ' + comment))
            ++removed;
        else
            kept += line;
    }
    text = std::move(kept);
    return removed;
}

/// A path inside double quotes of a shell command inside double quotes of authorized_keys.
void requirePlainPath(const std::string& path) {
    if (path.find_first_of("\"\\'`$\n\r") != std::string::npos)
        throw Failure("bad_input", "write a forced command",
                      "the path " + path +
                          " holds quotes or other signs that "
                          "a shell would read");
}

} // namespace

json authorize(const Folder& base, const json& request) {
    const auto job = request.at("job").get<std::string>();
    requireJobName(job);
    const auto key = request.at("public_key").get<std::string>();
    const auto expires = request.at("expires").get<std::string>();
    std::string from;
    for (const auto& entry : request.at("from")) {
        const auto address = entry.get<std::string>();
        if (!isOnly(address, "0123456789abcdefABCDEF.:"))
            throw Failure("bad_input", "authorize a job's key", "\"from\" takes addresses only");
        from += (from.empty() ? "" : ",") + address;
    }
    if (!isPublicKey(key) || from.empty() || !isOnly(expires, "0123456789Z"))
        throw Failure("bad_input", "authorize a job's key",
                      "expected an ed25519 key, addresses and an expiry time");
    const std::string program = ownProgram();
    requirePlainPath(program);
    requirePlainPath(base.path());
    AuthorizedKeys keys;
    removeLines(keys.text, commentOf(job));
    if (!keys.text.empty() && keys.text.back() != '\n')
        keys.text += '\n';
    keys.text += "restrict,from=\"" + from + "\",expiry-time=\"" + expires + "\",command=\"'" + program +
                 "' launch --base '" + base.path() + "' --job " + job + "\" " + key + ' ' + commentOf(job) +
                 '\n';
    keys.save();
    return json::object();
}

int revokeKeysOf(const std::string& job) {
    requireJobName(job);
    AuthorizedKeys keys;
    const int removed = removeLines(keys.text, commentOf(job));
    if (removed > 0)
        keys.save();
    return removed;
}

void forgetJob(const Folder& base, const std::string& job) {
    for (const char* name : {wire::layout::jobKeyFile, wire::layout::temporaryFolder})
        base.remove(std::string(wire::layout::jobsFolder) + '/' + job + '/' + name);
}

json revoke(const Folder& base, const json& request) {
    const auto job = request.at("job").get<std::string>();
    const int removed = revokeKeysOf(job);
    forgetJob(base, job);
    return {{"removed", removed}};
}

} // namespace coxswain::agent
