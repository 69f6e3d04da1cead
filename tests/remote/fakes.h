// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/agent/protocol.h"
#include "cluster/remote/bytestream.h"

#include <QByteArray>

#include <functional>
#include <memory>

namespace coxswain::test {

inline QByteArray frame(agent::FrameKind kind, const QByteArray& payload) {
    const auto header = agent::encodeHeader({kind, static_cast<std::uint32_t>(payload.size())});
    return QByteArray(reinterpret_cast<const char*>(header.data()), qsizetype(header.size())) + payload;
}

inline QByteArray answer(const QByteArray& json) {
    return frame(agent::FrameKind::Answer, json);
}

/// A far end that says exactly what a test wants, whatever it is told.
class ScriptedStream : public remote::ByteStream {
public:
    /// `reply` gets all that was written so far and answers what comes back next; empty is the end.
    using Reply = std::function<QByteArray(const QByteArray& written)>;
    explicit ScriptedStream(Reply reply, QByteArray errors = {})
        : m_reply(std::move(reply)), m_errors(std::move(errors)) {}

    core::Expected<QByteArray> read(qsizetype most, const remote::Limits&) override {
        if (m_pending.isEmpty())
            m_pending = m_reply(m_written);
        const QByteArray bytes = m_pending.left(most);
        m_pending.remove(0, bytes.size());
        return bytes;
    }
    core::Expected<void> write(const char* data, qsizetype bytes, const remote::Limits&) override {
        m_written.append(data, bytes);
        return {};
    }
    QByteArray errorOutput() override { return m_errors; }

private:
    Reply m_reply;
    QByteArray m_errors;
    QByteArray m_written;
    QByteArray m_pending;
};

/// A host whose login shell says what a test wants. `shell` gets the command line and makes the far end's
/// answers.
class ScriptedTransport : public remote::HostTransport {
public:
    using Shell = std::function<ScriptedStream::Reply(const QByteArray& commandLine)>;
    explicit ScriptedTransport(Shell shell) : m_shell(std::move(shell)) {}

    core::Expected<std::unique_ptr<remote::ByteStream>> start(const QByteArray& line,
                                                              const remote::Limits&) override {
        return std::make_unique<ScriptedStream>(m_shell(line), "complaint on standard error");
    }
    void disconnect() override {}
    std::optional<core::HostKey> hostKey() const override { return std::nullopt; }
    bool isLocal() const override { return false; }

private:
    Shell m_shell;
};

} // namespace coxswain::test
