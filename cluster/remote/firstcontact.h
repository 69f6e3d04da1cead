// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"

#include <QByteArray>

#include <optional>

namespace coxswain::remote {

/// Note [First contact]: the first thing that a node is asked is one line for its login shell, whichever that
/// is. It starts /bin/sh, which finds a place to write and execute, says what it found, takes the agent's
/// bytes from standard input if that agent is not there yet, and becomes the agent. All that it says begins
/// with a nonce, so that banners and chatty start-up files before it do no harm.
QByteArray firstContactLine(const QByteArray& nonce, const QByteArray& agentDigest, qint64 agentBytes);

struct FirstAnswer {
    enum Kind {
        Have,   ///< the agent is there and starts now
        Need,   ///< send the agent's bytes
        Go,     ///< the bytes have arrived, the agent starts now
        None,   ///< no place to write and execute
        Failed, ///< the bytes could not be kept
    };
    Kind kind = None;
    QByteArray system; ///< "Linux x86_64"; with Have and Need
    QByteArray detail; ///< the base folder, or why not
};

/// Takes the next answer out of `received`, with all that came before it; nothing while it is not complete.
std::optional<FirstAnswer> takeFirstAnswer(QByteArray& received, const QByteArray& nonce);

} // namespace coxswain::remote
