// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace coxswain::wire {

/// SHA-256 in pieces (libcrypto). Digests are 64 lowercase hexadecimal digits everywhere.
class Sha256 {
public:
    Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;
    void update(const void* data, std::size_t bytes);
    void update(std::string_view text) { update(text.data(), text.size()); }
    /// The digest of all that was given. Call once, last.
    [[nodiscard]] std::string hexDigest();

private:
    struct Context;
    std::shared_ptr<Context> m_context;
};

[[nodiscard]] std::string sha256Hex(std::string_view text);

/// True for 64 lowercase hexadecimal digits: what may be used as a file name in a store.
[[nodiscard]] bool isSha256Hex(std::string_view text);

} // namespace coxswain::wire
