// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/agent/protocol.h"

#include <nlohmann/json.hpp>

#include <QByteArray>
#include <QFloat16> // QTest compares with it whatever json could become
#include <QString>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace coxswain::test {

using nlohmann::json;
using Environment = std::map<std::string, std::string>;

/// Path of the coxswain-agent under test.
std::string agentProgram();
/// PATH of this process, with `first` in front.
std::string pathWith(const QString& first);
void writeFile(const QString& path, const QByteArray& content, int mode = 0644);
QByteArray readFile(const QString& path);
/// Permission bits of a file (no link followed); -1 when it is not there.
int modeOf(const QString& path);
bool isAlive(pid_t pid);

/// What a program that was run to its end left behind.
struct Ended {
    int status = -1; ///< exit status, or 128 + signal
    QByteArray out;  ///< both outputs
};
/// Runs argv with exactly this environment (and nothing on standard input); killed after 20 s.
Ended runProgram(const std::vector<std::string>& argv, const Environment& environment);

/// The real agent, started with `serve` over a socket pair as a desktop would. Its environment is exactly the
/// one given.
class AgentDriver {
public:
    struct Reply {
        agent::FrameKind kind = agent::FrameKind::Failure;
        json body;
        std::vector<std::string> data; ///< the Data frames that came before the Answer

        bool isAnswer() const { return kind == agent::FrameKind::Answer; }
        std::string code() const { return body.value("code", ""); }
    };

    explicit AgentDriver(const QString& base, const Environment& environment = {{"PATH", "/usr/bin:/bin"}});
    ~AgentDriver();
    AgentDriver(const AgentDriver&) = delete;
    AgentDriver& operator=(const AgentDriver&) = delete;

    const Reply& greeting() const { return m_greeting; }
    pid_t pid() const { return m_child; }

    /// One request, its data when it has some, and what the agent says. A reply with a null body when the
    /// agent closed the channel or was silent for 20 s.
    Reply ask(const std::string& name, json fields = json::object(),
              std::optional<std::string> data = std::nullopt);

    void send(agent::FrameKind kind, const std::string& payload);
    void sendBytes(const std::string& bytes);
    Reply readReply(std::chrono::milliseconds limit = std::chrono::seconds(20));
    /// The agent sees the end of the conversation.
    void closeChannel();
    /// Its exit status (128 + signal), -1 when it did not end within 10 s.
    int waitForEnd();

private:
    bool readExactly(void* bytes, std::size_t count, std::chrono::steady_clock::time_point deadline);

    int m_socket = -1;
    pid_t m_child = -1;
    Reply m_greeting;
};

} // namespace coxswain::test
