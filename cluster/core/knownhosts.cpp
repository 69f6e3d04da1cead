// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/knownhosts.h"

#include <QCryptographicHash>
#include <QMessageAuthenticationCode>
#include <QtEndian>

#include <algorithm>
#include <optional>

namespace coxswain::core {
namespace {

/// The next field of a line; `rest` loses it and the blanks around it.
QByteArray takeField(QByteArray& rest) {
    qsizetype begin = 0;
    while (begin < rest.size() && (rest[begin] == ' ' || rest[begin] == '\t'))
        ++begin;
    qsizetype end = begin;
    while (end < rest.size() && rest[end] != ' ' && rest[end] != '\t')
        ++end;
    const QByteArray field = rest.mid(begin, end - begin);
    rest.remove(0, end);
    return field;
}

/// The key's own first field must repeat its type: anything else is a damaged line.
std::optional<HostKey> parseKey(const QByteArray& type, const QByteArray& base64) {
    const auto decoded = QByteArray::fromBase64Encoding(base64, QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded || type.isEmpty() || decoded.decoded.size() < 4 + type.size())
        return std::nullopt;
    const QByteArray& blob = decoded.decoded;
    if (qFromBigEndian<quint32>(blob.constData()) != quint32(type.size()) || blob.mid(4, type.size()) != type)
        return std::nullopt;
    return HostKey{type, blob};
}

std::optional<KnownHostLine> parseLine(QByteArray rest) {
    KnownHostLine line;
    line.patterns = takeField(rest);
    if (line.patterns.startsWith('@')) {
        line.isRevoked = line.patterns == "@revoked";
        if (!line.isRevoked)
            return std::nullopt;
        line.patterns = takeField(rest);
    }
    if (line.patterns.isEmpty() || line.patterns.startsWith('#'))
        return std::nullopt;
    const QByteArray type = takeField(rest);
    const auto key = parseKey(type, takeField(rest));
    if (!key)
        return std::nullopt;
    line.key = *key;
    return line;
}

/// '*' and '?' as in ssh_config(5). Only the last '*' is ever tried again, so no pattern takes exponential
/// time.
bool matchesWildcard(const QByteArray& name, const QByteArray& pattern) {
    qsizetype n = 0, p = 0, star = -1, resume = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star >= 0) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

/// "|1|base64(salt)|base64(HMAC-SHA1(salt, name))"
bool matchesHash(const QByteArray& name, const QByteArray& pattern) {
    const QList<QByteArray> parts = pattern.split('|');
    if (parts.size() != 4 || parts[1] != "1")
        return false;
    const QByteArray salt = QByteArray::fromBase64(parts[2]);
    return !salt.isEmpty() && QMessageAuthenticationCode::hash(name, salt, QCryptographicHash::Sha1) ==
                                  QByteArray::fromBase64(parts[3]);
}

bool matches(const QByteArray& name, const QByteArray& patterns) {
    if (patterns.startsWith('|'))
        return matchesHash(name, patterns);
    bool found = false;
    for (const QByteArray& part : patterns.toLower().split(',')) {
        if (part.startsWith('!')) {
            if (matchesWildcard(name, part.mid(1)))
                return false;
        } else if (matchesWildcard(name, part)) {
            found = true;
        }
    }
    return found;
}

QList<KnownHostLine> linesFor(const QList<KnownHostLine>& lines, const QByteArray& name) {
    QList<KnownHostLine> found;
    for (const KnownHostLine& line : lines)
        if (matches(name, line.patterns))
            found.append(line);
    return found;
}

HostKeyVerdict judge(const QList<KnownHostLine>& lines, const HostKey& key) {
    HostKeyVerdict known{HostKeyVerdict::Known, {}}, revoked{HostKeyVerdict::Revoked, {}},
        changed{HostKeyVerdict::Changed, {}};
    for (const KnownHostLine& line : lines) {
        if (line.isRevoked && line.key == key)
            revoked.lines.append(line);
        else if (!line.isRevoked)
            (line.key == key ? known : changed).lines.append(line);
    }
    for (const HostKeyVerdict& verdict : {revoked, known, changed})
        if (!verdict.lines.isEmpty())
            return verdict;
    return {};
}

QByteArray bareName(const HostName& host) {
    return host.host.toUtf8().toLower();
}

QString describe(const HostKey& key) {
    return QStringLiteral("%1 %2").arg(QString::fromUtf8(key.type), key.fingerprint());
}

QStringList describe(const QList<KnownHostLine>& lines) {
    QStringList texts;
    for (const KnownHostLine& line : lines)
        texts.append(QStringLiteral("%1 (%2 line %3)").arg(describe(line.key), line.file).arg(line.line));
    return texts;
}

/// For a shell: names of hosts hold nothing that needs it but the brackets of a port.
QString quoted(const QString& text) {
    return QLatin1Char('\'') + QString(text).replace(u'\'', QStringLiteral("'\\''")) + QLatin1Char('\'');
}

} // namespace

QString HostKey::fingerprint() const {
    const QByteArray digest = QCryptographicHash::hash(blob, QCryptographicHash::Sha256);
    return QStringLiteral("SHA256:") +
           QString::fromLatin1(digest.toBase64(QByteArray::Base64Encoding | QByteArray::OmitTrailingEquals));
}

QList<KnownHostLine> parseKnownHosts(const QByteArray& text, const QString& file) {
    QList<KnownHostLine> lines;
    int number = 0;
    for (QByteArray raw : text.split('\n')) {
        ++number;
        if (raw.endsWith('\r'))
            raw.chop(1);
        if (auto line = parseLine(raw)) {
            line->file = file;
            line->line = number;
            lines.append(*line);
        }
    }
    return lines;
}

HostKeyVerdict judgeHostKey(const QList<KnownHostLine>& lines, const HostName& host, const HostKey& key) {
    const QByteArray name = knownHostsName(host);
    const HostKeyVerdict verdict = judge(linesFor(lines, name), key);
    if (verdict.kind != HostKeyVerdict::Unknown || name == bareName(host))
        return verdict;
    // What the bare name's lines say against the key of another port proves nothing, unless they revoke it.
    const HostKeyVerdict bare = judge(linesFor(lines, bareName(host)), key);
    return bare.kind == HostKeyVerdict::Changed ? verdict : bare;
}

QStringList hostKeyAlgorithms(const QList<KnownHostLine>& lines, const HostName& host) {
    QStringList algorithms{"ssh-ed25519",         "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
                           "ecdsa-sha2-nistp521", "rsa-sha2-512",        "rsa-sha2-256"};
    QList<KnownHostLine> found = linesFor(lines, knownHostsName(host));
    if (found.isEmpty())
        found = linesFor(lines, bareName(host));
    const auto isKnown = [&](const QString& algorithm) {
        const QByteArray type = algorithm.startsWith(u"rsa-") ? QByteArray("ssh-rsa") : algorithm.toLatin1();
        return std::any_of(found.begin(), found.end(), [&](const KnownHostLine& line) {
            return !line.isRevoked && line.key.type == type;
        });
    };
    std::stable_partition(algorithms.begin(), algorithms.end(), isKnown);
    return algorithms;
}

QByteArray knownHostsName(const HostName& host) {
    if (host.port == 0 || host.port == 22)
        return bareName(host);
    return '[' + bareName(host) + "]:" + QByteArray::number(host.port);
}

QByteArray knownHostsLine(const HostName& host, const HostKey& key) {
    return knownHostsName(host) + ' ' + key.type + ' ' + key.blob.toBase64() + '\n';
}

Error hostKeyError(const HostKeyVerdict& verdict, const HostName& host, const HostKey& seen,
                   const QString& fileForKeys) {
    Error error;
    error.host = host.toString();
    error.tried = QStringLiteral("trust the host key");
    const QString decided = describe(verdict.lines).join(QStringLiteral(" or "));
    const QString file = verdict.lines.isEmpty() ? fileForKeys : verdict.lines.first().file;
    switch (verdict.kind) {
    case HostKeyVerdict::Known:
        error.seen = QStringLiteral("it is known");
        break;
    case HostKeyVerdict::Unknown:
        error.code = ErrorCode::HostKeyUnknown;
        error.seen = QStringLiteral("%1 is not in %2").arg(describe(seen), fileForKeys);
        error.fix = QStringLiteral("Compare this fingerprint with the host's own (ssh-keygen -lf "
                                   "/etc/ssh/ssh_host_ed25519_key.pub there), then accept it (--accept-new)");
        break;
    case HostKeyVerdict::Changed:
        error.code = ErrorCode::HostKeyChanged;
        error.seen = QStringLiteral("the host shows %1, expected %2").arg(describe(seen), decided);
        error.fix =
            QStringLiteral("Someone may be listening in. If the host was installed anew, forget the old "
                           "key: ssh-keygen -f %1 -R %2")
                .arg(quoted(file), quoted(QString::fromUtf8(knownHostsName(host))));
        break;
    case HostKeyVerdict::Revoked:
        error.code = ErrorCode::HostKeyRevoked;
        error.seen = QStringLiteral("the host shows %1, which is marked @revoked").arg(decided);
        error.fix = QStringLiteral("The host must get another key before anybody may trust it");
        break;
    }
    return error;
}

} // namespace coxswain::core
