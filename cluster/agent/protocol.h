// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

/// The protocol between the desktop and coxswain-agent on a node, over one channel (the agent's standard
/// input and output). Depends on nothing.
///
/// A frame is: length of the payload (u32, little-endian), kind (u8), payload. One request is under way at a
/// time: Request, then the data that it carries (Data … EndOfData) where it carries any, then whatever Data
/// the agent answers with, then exactly one Answer or Failure. After it has started the agent sends one
/// Answer, its greeting. Either side ends the conversation by closing the channel.
namespace coxswain::agent {

inline constexpr int protocolVersion = 1;

enum class FrameKind : std::uint8_t {
    Request = 1,   ///< JSON object with "request": its name
    Data = 2,      ///< bytes
    EndOfData = 3, ///< empty
    Answer = 4,    ///< JSON object
    Failure = 5,   ///< JSON object: code (as core::errorCodeName), tried, seen, and more by code
};

inline constexpr std::size_t maxDataBytes = 1 << 20;  ///< in one Data frame
inline constexpr std::size_t maxJsonBytes = 16 << 20; ///< in one frame of JSON
inline constexpr std::size_t headerBytes = 5;

struct FrameHeader {
    FrameKind kind = FrameKind::Answer;
    std::uint32_t length = 0;
};

inline std::array<unsigned char, headerBytes> encodeHeader(FrameHeader header) {
    return {static_cast<unsigned char>(header.length), static_cast<unsigned char>(header.length >> 8),
            static_cast<unsigned char>(header.length >> 16), static_cast<unsigned char>(header.length >> 24),
            static_cast<unsigned char>(header.kind)};
}

/// Nothing for bytes that cannot be the header of a frame: unknown kind, or longer than its kind allows.
inline std::optional<FrameHeader> decodeHeader(const unsigned char* bytes) {
    FrameHeader header;
    header.length = static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 |
                    static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
    if (bytes[4] < 1 || bytes[4] > 5)
        return std::nullopt;
    header.kind = static_cast<FrameKind>(bytes[4]);
    const std::size_t limit = header.kind == FrameKind::Data        ? maxDataBytes
                              : header.kind == FrameKind::EndOfData ? 0
                                                                    : maxJsonBytes;
    if (header.length > limit)
        return std::nullopt;
    return header;
}

} // namespace coxswain::agent
