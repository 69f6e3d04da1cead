// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/protocol.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace coxswain::agent {

/// The conversation is over: the desktop has gone, or does not speak the protocol.
class ChannelError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The agent's end of the protocol, on two file descriptors.
class Channel {
public:
    Channel(int in, int out) : m_in(in), m_out(out) {}

    /// The next request; a null value when the desktop has closed the channel. Throws ChannelError,
    /// as every function here.
    nlohmann::json readRequest();
    /// Calls take(bytes) for each Data frame until EndOfData.
    void readData(const std::function<void(std::string_view)>& take);

    /// Sleeps; throws as soon as the desktop has gone.
    void pause(std::chrono::milliseconds time);

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
