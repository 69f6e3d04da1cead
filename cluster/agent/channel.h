// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/protocol.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace coxswain::agent {

/// The agent's end of the protocol, on two file descriptors.
class Channel {
public:
    Channel(int in, int out) : m_in(in), m_out(out) {}

    /// The next request; a null value when the desktop has closed the channel. Throws std::runtime_error for
    /// what is not the protocol: the conversation is over then.
    nlohmann::json readRequest();
    /// Calls take(bytes) for each Data frame until EndOfData.
    void readData(const std::function<void(std::string_view)>& take);

    void sendData(std::string_view bytes);
    void sendAnswer(const nlohmann::json& answer);
    void sendFailure(const nlohmann::json& failure);

private:
    bool readFrame(FrameHeader& header, std::string& payload);
    void send(FrameKind kind, std::string_view payload);

    int m_in;
    int m_out;
    std::string m_buffer;
};

} // namespace coxswain::agent
