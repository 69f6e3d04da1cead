// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/agent/protocol.h"
#include "cluster/remote/bytestream.h"

#include <nlohmann/json.hpp>

#include <functional>

namespace coxswain::remote {

/// The desktop's end of the agent protocol. What comes from the node is not trusted: every length is bounded
/// and every value checked.
class AgentChannel {
public:
    AgentChannel(std::unique_ptr<ByteStream> stream, QString host)
        : m_stream(std::move(stream)), m_host(std::move(host)) {}

    ByteStream& stream() { return *m_stream; }
    /// Bytes that were read before the protocol began.
    void pushBack(QByteArray bytes) { m_buffer = std::move(bytes); }

    core::Expected<void> sendRequest(const nlohmann::json& request, const Limits& limits);
    core::Expected<void> sendData(const QByteArray& bytes, const Limits& limits);
    core::Expected<void> sendEndOfData(const Limits& limits);
    /// The answer, after take(bytes) for each piece of data before it. A Failure frame becomes an Error.
    core::Expected<nlohmann::json> readAnswer(const Limits& limits,
                                              const std::function<void(const QByteArray&)>& take = {});

private:
    core::Expected<void> send(agent::FrameKind kind, const char* data, qsizetype bytes, const Limits& limits);
    core::Expected<void> fill(qsizetype bytes, const Limits& limits);
    core::Error broken(const QString& seen);

    std::unique_ptr<ByteStream> m_stream;
    QString m_host;
    QByteArray m_buffer;
};

} // namespace coxswain::remote
