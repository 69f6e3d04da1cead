// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/hostlist.h"

#include <QRegularExpression>
#include <QSet>

#include <arpa/inet.h>

#include <algorithm>
#include <optional>

namespace coxswain::core {
namespace {

constexpr qint64 hostLimit = 4096;
constexpr qsizetype wordLimit = 1024;

tl::unexpected<Error> badWord(QStringView word, const QString& seen) {
    const QString shown =
        word.size() > 80 ? word.left(77).toString() + QStringLiteral("...") : word.toString();
    return fail({ErrorCode::BadInput,
                 {},
                 QStringLiteral("read the host \"%1\"").arg(shown),
                 seen,
                 QStringLiteral("Write names, [user@]host[:port], or ranges such as gpu[01-08,12]")});
}

/// Numbers first to last, padded with zeros to `width` digits.
struct Range {
    qint64 first = 0;
    qint64 last = 0;
    int width = 0;
    qint64 count() const { return last - first + 1; }
};

/// A word in pieces: text, range list, text, … Pieces multiply.
struct Piece {
    QString text;
    QList<Range> ranges;
    qint64 count() const {
        qint64 sum = ranges.isEmpty() ? 1 : 0;
        for (const Range& range : ranges)
            sum += range.count();
        return sum;
    }
    QString at(qint64 index) const {
        for (const Range& range : ranges) {
            if (index < range.count())
                return QString::number(range.first + index).rightJustified(range.width, u'0');
            index -= range.count();
        }
        return text;
    }
};

std::optional<QList<Range>> parseRanges(QStringView inside) {
    static const QRegularExpression shape(QStringLiteral("^([0-9]{1,9})(?:-([0-9]{1,9}))?$"));
    QList<Range> ranges;
    for (const QStringView part : inside.split(u',')) {
        const auto match = shape.match(part.trimmed());
        if (!match.hasMatch())
            return std::nullopt;
        const QString first = match.captured(1);
        const QString last = match.hasCaptured(2) ? match.captured(2) : first;
        const Range range{first.toLongLong(), last.toLongLong(), int(first.size())};
        if (range.last < range.first)
            return std::nullopt;
        ranges.append(range);
    }
    return ranges;
}

/// With or without a zone, as in fe80::1%eth0.
bool isIpv6(const QString& text) {
    static const QRegularExpression zone(QStringLiteral("%[A-Za-z0-9._-]+$"));
    in6_addr address;
    return inet_pton(AF_INET6, QString(text).remove(zone).toLatin1().constData(), &address) == 1;
}

/// Digits and dots are an IPv4 address or nothing: ssh would read "10.1" as 10.0.0.1.
bool isNameOrIpv4(const QString& text) {
    static const QRegularExpression numeric(QStringLiteral("^[0-9.]+$"));
    static const QRegularExpression name(QStringLiteral("^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_])?$"));
    in_addr address;
    if (numeric.match(text).hasMatch())
        return inet_pton(AF_INET, text.toLatin1().constData(), &address) == 1;
    return name.match(text).hasMatch();
}

Expected<QList<Piece>> splitPieces(QStringView word) {
    QList<Piece> pieces;
    QStringView rest = word;
    while (!rest.isEmpty()) {
        const auto open = rest.indexOf(u'[');
        if (open != 0) {
            const QStringView text = open < 0 ? rest : rest.left(open);
            if (text.contains(u']'))
                return badWord(word, QStringLiteral("a \"]\" without its \"[\""));
            pieces.append({text.toString(), {}});
            rest = rest.mid(text.size());
            continue;
        }
        const auto close = rest.indexOf(u']');
        if (close < 0)
            return badWord(word, QStringLiteral("a \"[\" without its \"]\""));
        const QStringView inside = rest.mid(1, close - 1);
        if (inside.contains(u':')) { // an IPv6 address, which parseOne() reads
            pieces.append({rest.left(close + 1).toString(), {}});
        } else if (const auto ranges = parseRanges(inside)) {
            pieces.append({{}, *ranges});
        } else {
            return badWord(word,
                           QStringLiteral("\"[%1]\" is not a range such as [01-08,12]").arg(inside.left(40)));
        }
        rest = rest.mid(close + 1);
    }
    return pieces;
}

/// One name after expansion: [user@]host[:port].
Expected<HostName> parseOne(QStringView word, const QString& text) {
    static const QRegularExpression shape(QStringLiteral("^(?:([A-Za-z0-9_][A-Za-z0-9_.$-]*)@)?(?:\\[([^\\]]+"
                                                         ")\\]|([^:\\[\\]]+)|([^\\[\\]]+))(?::([0-9]+))?$"));
    const auto match = shape.match(text);
    if (!match.hasMatch())
        return badWord(word, QStringLiteral("\"%1\" is not [user@]host[:port]").arg(text.left(80)));
    HostName host;
    host.user = match.captured(1);
    const QString bracketed = match.captured(2);
    const QString plain = match.captured(3) + match.captured(4);
    host.host = bracketed.isEmpty() ? plain : bracketed;
    const bool good = isIpv6(host.host) || (bracketed.isEmpty() && isNameOrIpv4(host.host));
    if (!good || host.host.size() > 253)
        return badWord(
            word, QStringLiteral("\"%1\" is neither a host name nor an address").arg(host.host.left(80)));
    if (const QString port = match.captured(5); !port.isEmpty()) {
        const uint number = port.toUInt();
        if (number < 1 || number > 65535)
            return badWord(word, QStringLiteral("port %1 is not from 1 to 65535").arg(port.left(20)));
        host.port = number == 22 ? 0 : quint16(number);
    }
    if (host.isLocal() && (!host.user.isEmpty() || host.port != 0 || match.hasCaptured(5)))
        return badWord(
            word, QStringLiteral("\"local\" is this machine, without SSH: it takes no user and no port"));
    return host;
}

/// Words are separated by commas and white space outside brackets; "#" starts a comment that ends with its
/// line.
QList<QStringView> splitWords(QStringView text) {
    QList<QStringView> words;
    qsizetype start = -1;
    int depth = 0;
    for (qsizetype i = 0; i <= text.size(); ++i) {
        const QChar c = i < text.size() ? text[i] : QChar(u'\n');
        const bool endsLine = c == u'\n' || c == u'\r' || c == u'#';
        if (endsLine || (depth == 0 && (c == u',' || c == u';' || c.isSpace()))) {
            if (start >= 0)
                words.append(text.mid(start, i - start));
            start = -1;
            depth = 0;
            if (c == u'#')
                while (i + 1 < text.size() && text[i + 1] != u'\n')
                    ++i;
            continue;
        }
        if (start < 0)
            start = i;
        if (c == u'[')
            ++depth;
        else if (c == u']')
            depth = std::max(0, depth - 1);
    }
    return words;
}

} // namespace

QString HostName::toString() const {
    QString text;
    if (!user.isEmpty())
        text += user + u'@';
    text += port != 0 && host.contains(u':') ? u'[' + host + u']' : host;
    if (port != 0)
        text += u':' + QString::number(port);
    return text;
}

Expected<QList<HostName>> parseHostList(QStringView text) {
    QList<HostName> hosts;
    QSet<QString> known;
    for (const QStringView word : splitWords(text)) {
        if (word.size() > wordLimit)
            return badWord(word, QStringLiteral("longer than %1 characters").arg(wordLimit));
        const auto pieces = splitPieces(word);
        if (!pieces)
            return tl::unexpected(pieces.error());
        // Counted before anything is made: a[0-999999999][0-999999999] must not fill the memory.
        qint64 count = 1;
        for (const Piece& piece : *pieces) {
            if (piece.count() > hostLimit || (count *= piece.count()) > hostLimit)
                return badWord(word, QStringLiteral("more than %1 hosts").arg(hostLimit));
        }
        for (qint64 index = 0; index < count; ++index) {
            QString name;
            qint64 weight = count;
            for (const Piece& piece : *pieces) {
                weight /= piece.count();
                name += piece.at(index / weight % piece.count());
            }
            const auto host = parseOne(word, name);
            if (!host)
                return tl::unexpected(host.error());
            if (const QString id = host->toString(); !known.contains(id)) {
                known.insert(id);
                hosts.append(*host);
            }
        }
        if (hosts.size() > hostLimit)
            return badWord(word, QStringLiteral("with it the list has more than %1 hosts").arg(hostLimit));
    }
    return hosts;
}

} // namespace coxswain::core
