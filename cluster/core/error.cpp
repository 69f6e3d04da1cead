// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/error.h"

namespace coxswain::core {

QString Error::text() const {
    QString text;
    if (!host.isEmpty())
        text += host + QStringLiteral(": ");
    if (!tried.isEmpty())
        text += QStringLiteral("cannot ") + tried + QStringLiteral(": ");
    text += seen;
    if (!fix.isEmpty())
        text += QStringLiteral(". ") + fix;
    return text;
}

QString errorCodeName(ErrorCode code) {
    switch (code) {
    case ErrorCode::Internal: return QStringLiteral("internal");
    case ErrorCode::BadInput: return QStringLiteral("bad_input");
    case ErrorCode::Cancelled: return QStringLiteral("cancelled");
    case ErrorCode::Timeout: return QStringLiteral("timeout");
    case ErrorCode::Resolve: return QStringLiteral("resolve");
    case ErrorCode::Connect: return QStringLiteral("connect");
    case ErrorCode::Lost: return QStringLiteral("lost");
    case ErrorCode::HostKeyUnknown: return QStringLiteral("host_key_unknown");
    case ErrorCode::HostKeyChanged: return QStringLiteral("host_key_changed");
    case ErrorCode::HostKeyRevoked: return QStringLiteral("host_key_revoked");
    case ErrorCode::AuthRefused: return QStringLiteral("auth_refused");
    case ErrorCode::NoShell: return QStringLiteral("no_shell");
    case ErrorCode::NoPlace: return QStringLiteral("no_place");
    case ErrorCode::NoSpace: return QStringLiteral("no_space");
    case ErrorCode::Permission: return QStringLiteral("permission");
    case ErrorCode::Missing: return QStringLiteral("missing");
    case ErrorCode::Damaged: return QStringLiteral("damaged");
    case ErrorCode::Protocol: return QStringLiteral("protocol");
    case ErrorCode::Conflict: return QStringLiteral("conflict");
    case ErrorCode::Failed: return QStringLiteral("failed");
    }
    return QStringLiteral("internal");
}

} // namespace coxswain::core
