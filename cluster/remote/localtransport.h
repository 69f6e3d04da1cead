// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/remote/bytestream.h"

namespace coxswain::remote {

/// This machine, as a host like any other.
class LocalTransport : public HostTransport {
public:
    core::Expected<std::unique_ptr<ByteStream>> start(const QByteArray& commandLine,
                                                      const Limits& limits) override;
    void disconnect() override {}
    std::optional<core::HostKey> hostKey() const override { return std::nullopt; }
    bool isLocal() const override { return true; }
};

} // namespace coxswain::remote
