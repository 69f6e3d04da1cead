// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/agentchannel.h"

namespace coxswain::remote {
namespace {

using agent::FrameKind;
using core::ErrorCode;
using nlohmann::json;

QString textIn(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string()
               ? QString::fromStdString(found->get_ref<const std::string&>()).left(2000)
               : QString();
}

core::Error errorFrom(const json& failure, const QString& host) {
    core::Error error;
    error.code = core::errorCodeFromName(textIn(failure, "code"));
    error.host = host;
    error.tried = textIn(failure, "tried");
    error.seen = textIn(failure, "seen");
    if (error.code == ErrorCode::NoSpace)
        error.fix = QStringLiteral(
            "Free space there ('coxswain-cli nodes clean' removes what Coxswain has put on the node), or "
            "use another node");
    return error;
}

} // namespace

core::Error AgentChannel::broken(const QString& seen) {
    const QString said = QString::fromUtf8(m_stream->errorOutput()).trimmed().left(2000);
    return {ErrorCode::Lost,
            m_host,
            QStringLiteral("talk to the agent"),
            said.isEmpty() ? seen : seen + QStringLiteral("; it said: ") + said,
            {}};
}

core::Expected<void> AgentChannel::send(FrameKind kind, const char* data, qsizetype bytes,
                                        const Limits& limits) {
    const auto header = agent::encodeHeader({kind, static_cast<std::uint32_t>(bytes)});
    QByteArray frame(reinterpret_cast<const char*>(header.data()), static_cast<qsizetype>(header.size()));
    frame.append(data, bytes);
    return m_stream->write(frame.constData(), frame.size(), limits);
}

core::Expected<void> AgentChannel::sendRequest(const json& request, const Limits& limits) {
    const std::string text = request.dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() > agent::maxJsonBytes)
        return core::fail({ErrorCode::Internal,
                           m_host,
                           QStringLiteral("send a request"),
                           QStringLiteral("it has %1 bytes").arg(text.size()),
                           {}});
    return send(FrameKind::Request, text.data(), static_cast<qsizetype>(text.size()), limits);
}

core::Expected<void> AgentChannel::sendData(const QByteArray& bytes, const Limits& limits) {
    constexpr auto most = static_cast<qsizetype>(agent::maxDataBytes);
    for (qsizetype at = 0; at < bytes.size(); at += most)
        if (auto sent =
                send(FrameKind::Data, bytes.constData() + at, std::min(most, bytes.size() - at), limits);
            !sent)
            return sent;
    return {};
}

core::Expected<void> AgentChannel::sendEndOfData(const Limits& limits) {
    return send(FrameKind::EndOfData, "", 0, limits);
}

core::Expected<void> AgentChannel::fill(qsizetype bytes, const Limits& limits) {
    while (m_buffer.size() < bytes) {
        const auto got = m_stream->read(std::max<qsizetype>(65536, bytes - m_buffer.size()), limits);
        if (!got)
            return core::fail(got.error());
        if (got->isEmpty())
            return core::fail(broken(QStringLiteral("the agent has ended")));
        m_buffer += *got;
    }
    return {};
}

core::Expected<json> AgentChannel::readAnswer(const Limits& limits,
                                              const std::function<void(const QByteArray&)>& take) {
    constexpr auto headerBytes = static_cast<qsizetype>(agent::headerBytes);
    while (true) {
        if (auto filled = fill(headerBytes, limits); !filled)
            return core::fail(filled.error());
        const auto header = agent::decodeHeader(reinterpret_cast<const unsigned char*>(m_buffer.constData()));
        if (!header || header->kind == FrameKind::Request || header->kind == FrameKind::EndOfData)
            return core::fail({ErrorCode::Protocol,
                               m_host,
                               QStringLiteral("talk to the agent"),
                               QStringLiteral("what it sends is not the protocol"),
                               {}});
        const auto whole = headerBytes + static_cast<qsizetype>(header->length);
        if (auto filled = fill(whole, limits); !filled)
            return core::fail(filled.error());
        const QByteArray payload = m_buffer.mid(headerBytes, header->length);
        m_buffer.remove(0, whole);
        if (header->kind == FrameKind::Data) {
            if (take)
                take(payload);
            continue;
        }
        json answer = json::parse(payload.begin(), payload.end(), nullptr, false);
        if (!answer.is_object())
            return core::fail({ErrorCode::Protocol,
                               m_host,
                               QStringLiteral("talk to the agent"),
                               QStringLiteral("its answer is not a JSON object"),
                               {}});
        if (header->kind == FrameKind::Failure)
            return core::fail(errorFrom(answer, m_host));
        return answer;
    }
}

} // namespace coxswain::remote
