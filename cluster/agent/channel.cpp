// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/channel.h"

#include "cluster/agent/io.h"

#include <poll.h>

namespace coxswain::agent {

using nlohmann::json;

bool Channel::readFrame(FrameHeader& header, std::string& payload) {
    unsigned char bytes[headerBytes];
    const std::size_t got = readFully(m_in, bytes, headerBytes);
    if (got == 0)
        return false;
    const auto decoded = got == headerBytes ? decodeHeader(bytes) : std::nullopt;
    if (!decoded)
        throw ChannelError("not a frame of the protocol");
    header = *decoded;
    payload.resize(header.length);
    if (readFully(m_in, payload.data(), payload.size()) != payload.size())
        throw ChannelError("the channel was closed within a frame");
    return true;
}

json Channel::readRequest() {
    FrameHeader header;
    while (readFrame(header, m_buffer)) {
        // Data of a request that failed before it read them all: passed over.
        if (header.kind == FrameKind::Data || header.kind == FrameKind::EndOfData)
            continue;
        if (header.kind != FrameKind::Request)
            throw ChannelError("expected a request");
        json request = json::parse(m_buffer, nullptr, false);
        if (!request.is_object())
            throw ChannelError("a request is not a JSON object");
        return request;
    }
    return nullptr;
}

void Channel::readData(const std::function<void(std::string_view)>& take) {
    FrameHeader header;
    while (readFrame(header, m_buffer)) {
        if (header.kind == FrameKind::EndOfData)
            return;
        if (header.kind != FrameKind::Data)
            throw ChannelError("expected data");
        take(m_buffer);
    }
    throw ChannelError("the channel was closed within a request's data");
}

void Channel::pause(std::chrono::milliseconds time) {
    pollfd wait{m_in, POLLRDHUP, 0};
    if (::poll(&wait, 1, static_cast<int>(time.count())) > 0)
        throw ChannelError("the desktop has gone");
}

void Channel::send(FrameKind kind, std::string_view payload) {
    const auto header = encodeHeader({kind, static_cast<std::uint32_t>(payload.size())});
    if (!writeFully(m_out, header.data(), header.size()) ||
        !writeFully(m_out, payload.data(), payload.size()))
        throw ChannelError("the channel was closed");
}

void Channel::sendData(std::string_view bytes) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), maxDataBytes)))
        send(FrameKind::Data, bytes.substr(0, maxDataBytes));
}

void Channel::sendAnswer(const json& answer) {
    send(FrameKind::Answer, answer.dump(-1, ' ', false, json::error_handler_t::replace));
}

void Channel::sendFailure(const json& failure) {
    send(FrameKind::Failure, failure.dump(-1, ' ', false, json::error_handler_t::replace));
}

} // namespace coxswain::agent
