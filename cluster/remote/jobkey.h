// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"

#include <QByteArray>

namespace coxswain::remote {

/// An ed25519 pair that is made for one job (cluster/agent/keys.h, Note [Job key]).
struct JobKey {
    QByteArray privateKey; ///< OpenSSH's format, for `ssh -i`
    QByteArray publicKey;  ///< "ssh-ed25519 AAAA…", without a comment
};

core::Expected<JobKey> makeJobKey();

} // namespace coxswain::remote
