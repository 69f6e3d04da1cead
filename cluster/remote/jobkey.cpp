// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/jobkey.h"

#include <QFile>
#include <QTemporaryDir>

#include <libssh/libssh.h>

namespace coxswain::remote {

core::Expected<JobKey> makeJobKey() {
    JobKey result;
    ssh_key key = nullptr;
    char* base64 = nullptr;
    // libssh 0.10 exports private keys to files only: one that nobody else can read, gone at once.
    QTemporaryDir folder; // mode 0700
    const QString file = folder.filePath(QStringLiteral("key"));
    const bool made = folder.isValid() && ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key) == SSH_OK &&
                      ssh_pki_export_pubkey_base64(key, &base64) == SSH_OK &&
                      ssh_pki_export_privkey_file(key, nullptr, nullptr, nullptr,
                                                  QFile::encodeName(file).constData()) == SSH_OK;
    QFile stored(file);
    if (made && stored.open(QIODevice::ReadOnly)) {
        result.privateKey = stored.readAll();
        result.publicKey = QByteArray("ssh-ed25519 ") + base64;
    }
    ssh_string_free_char(base64);
    ssh_key_free(key);
    if (result.privateKey.isEmpty())
        return core::fail({core::ErrorCode::Internal,
                           {},
                           QStringLiteral("make the job's key"),
                           QStringLiteral("libssh could not generate or export an ed25519 key"),
                           {}});
    return result;
}

} // namespace coxswain::remote
