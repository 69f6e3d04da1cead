// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/error.h"

#include <utility>

namespace coxswain::core {
namespace {

constexpr std::pair<ErrorCode, const char*> names[] = {
    {ErrorCode::Internal, "internal"},
    {ErrorCode::BadInput, "bad_input"},
    {ErrorCode::Cancelled, "cancelled"},
    {ErrorCode::Timeout, "timeout"},
    {ErrorCode::Resolve, "resolve"},
    {ErrorCode::Connect, "connect"},
    {ErrorCode::Lost, "lost"},
    {ErrorCode::HostKeyUnknown, "host_key_unknown"},
    {ErrorCode::HostKeyChanged, "host_key_changed"},
    {ErrorCode::HostKeyRevoked, "host_key_revoked"},
    {ErrorCode::AuthRefused, "auth_refused"},
    {ErrorCode::NoShell, "no_shell"},
    {ErrorCode::NoPlace, "no_place"},
    {ErrorCode::NoSpace, "no_space"},
    {ErrorCode::Permission, "permission"},
    {ErrorCode::Missing, "missing"},
    {ErrorCode::Damaged, "damaged"},
    {ErrorCode::Protocol, "protocol"},
    {ErrorCode::Conflict, "conflict"},
    {ErrorCode::Failed, "failed"},
};

} // namespace

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
    for (const auto& [known, name] : names)
        if (known == code)
            return QString::fromLatin1(name);
    return QStringLiteral("internal");
}

ErrorCode errorCodeFromName(const QString& text) {
    for (const auto& [code, name] : names)
        if (text == QLatin1StringView(name))
            return code;
    return ErrorCode::Internal;
}

} // namespace coxswain::core
