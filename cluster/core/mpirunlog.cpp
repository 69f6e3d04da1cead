// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/mpirunlog.h"

#include <QRegularExpression>

#include <algorithm>
#include <csignal>
#include <functional>

namespace coxswain::core {
namespace {

using Kind = MpirunFinding::Kind;

constexpr qsizetype beginningLimit = 256 << 10;
constexpr qsizetype endLimit = 1 << 20;
constexpr qsizetype lineLimit = 500;
constexpr qsizetype linesKept = 20;

/// Groups of the expression: which of them is the rank, the node, the number; 0: none.
struct Message {
    Kind kind;
    const char* expression;
    int rank = 0;
    int node = 0;
    int number = 0;
};

constexpr Message messages[] = {
    {Kind::Signal, R"(process rank (\d+) with PID \d+ on\s+node (\S+) exited on\s+signal (\d+)[^\n]*)", 1, 2,
     3},
    {Kind::NotFinished, R"(due to process rank (\d+) with PID \d+ on\s+node (\S+) exiting improperly)", 1, 2},
    {Kind::Exit, R"(Process name: \[\[\d+,\d+\],(\d+)\]\s+Exit code:\s+(\d+))", 1, 0, 2},
    {Kind::Abort, R"(MPI_ABORT was invoked on rank (\d+) in communicator[^\n]*\s+with errorcode (-?\d+))", 1,
     0, 2},
    {Kind::NodeLost,
     R"(ORTE has lost communication with a remote daemon\.(?:[^\n]*\n){1,4}?\s*Remote daemon:[^\n]* on node (\S+))",
     0, 1},
    {Kind::Start,
     R"(could not access\s+or execute an executable:\s+Executable: [^\n]*\s+Node: (\S+)\s+while attempting to start process rank (\d+))",
     2, 1},
    {Kind::Start, R"((?:\S+@)?(\S+): Permission denied \([^)\n]*\)[^\n]*)", 0, 1},
    {Kind::Start, R"(Host key for (\S+) has changed[^\n]*)", 0, 1},
    {Kind::Start, R"(No \S+ host key is known for (\S+) and [^\n]*)", 0, 1},
    {Kind::Start, R"(ssh: connect to host (\S+) port \d+: [^\n]*)", 0, 1},
    {Kind::Start, R"(ssh: Could not resolve hostname (\S+?): [^\n]*)", 0, 1},
    {Kind::Start, R"(kex_exchange_identification: [^\n]*)"},
    {Kind::Start, R"((?:bash|sh|zsh|fish|csh|tcsh): [^\n]*orted: [^\n]*not found)"},
    {Kind::Start, R"(coxswain-agent(?: on (\S+))?: [^\n]*)", 0, 1},
    {Kind::NodeLost, R"(Connection (?:to|closed by) (\S+)(?: port \d+)?(?: closed by remote host)?[^\n]*)", 0,
     1},
    {Kind::Setup, R"(There are not enough slots available in the system[^\n]*)"},
    {Kind::Setup, R"(PMIX ERROR: [^\n]*)"},
    {Kind::Setup, R"(there is not enough space for (/dev/shm/vader_segment\.([^.\s]+))[^\n]*)", 0, 2},
    {Kind::Setup, R"(It looks like (?:MPI_INIT|orte_init) failed[^\n]*)"},
    {Kind::Setup, R"(A process or daemon was unable to complete a TCP connection)"},
    {Kind::Setup, R"(ORTE was unable to reliably start one or more daemons)"},
    {Kind::Warning,
     R"(Open MPI failed to TCP connect to a peer MPI process\.(?:[^\n]*\n){1,8}?\s*Local host: (\S+))", 0, 1},
    {Kind::Warning,
     R"(An MPI communication peer process has unexpectedly disconnected\.(?:[^\n]*\n){1,14}?\s*Local host: (\S+))",
     0, 1},
};

/// Nothing that a terminal or a label would act on: escape sequences go, other controls too.
QString cleaned(const QString& line) {
    static const QRegularExpression escape(
        QStringLiteral("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|.)"));
    QString text = line.left(4 * lineLimit);
    text.remove(escape);
    text.removeIf([](QChar c) { return c != u'\t' && c != u'\n' && c.unicode() < 0x20; });
    return text.left(lineLimit);
}

void keepLast(QStringList& lines, const QString& line) {
    if (line.trimmed().isEmpty())
        return;
    if (lines.size() == linesKept)
        lines.removeFirst();
    lines.append(line.trimmed());
}

/// Divides the text: what ranks wrote ("[1,2]<stderr>:…", also several in one line) and what mpirun wrote.
QString takeRankLines(const QString& text, QMap<int, QStringList>& rankLines) {
    static const QRegularExpression tag(QStringLiteral("\\[\\d+,(\\d{1,6})\\]<(?:stdout|stderr|stddiag)>:"));
    QString own;
    for (const QString& line : text.split(u'\n')) {
        qsizetype end = 0; // of the tag before
        int rank = -1;
        const auto give = [&](qsizetype until) {
            const QString part = cleaned(line.mid(end, until - end));
            if (rank >= 0)
                keepLast(rankLines[rank], part);
            else
                own += part;
        };
        for (auto it = tag.globalMatch(line); it.hasNext();) {
            const auto match = it.next();
            give(match.capturedStart());
            rank = match.captured(1).toInt();
            end = match.capturedEnd();
        }
        give(line.size());
        own += u'\n';
    }
    return own;
}

} // namespace

MpirunLog parseMpirunLog(const QByteArray& bytes) {
    QByteArray part = bytes;
    if (part.size() > beginningLimit + endLimit)
        part = bytes.left(beginningLimit) + '\n' + bytes.right(endLimit);
    MpirunLog log;
    const QString own = takeRankLines(QString::fromUtf8(part).remove(u'\r'), log.rankLines);
    for (const QString& line : own.split(u'\n'))
        if (!line.startsWith(QStringLiteral("-----")))
            keepLast(log.lastLines, line);
    for (const Message& message : messages) {
        const QRegularExpression expression(QString::fromLatin1(message.expression));
        for (auto it = expression.globalMatch(own); it.hasNext() && log.findings.size() < 1000;) {
            const auto match = it.next();
            MpirunFinding finding{
                message.kind, match.capturedStart(), -1, {}, 0, match.captured(0).simplified()};
            if (message.rank > 0)
                finding.rank = match.captured(message.rank).toInt();
            if (message.node > 0)
                finding.node = match.captured(message.node);
            if (message.number > 0)
                finding.number = match.captured(message.number).toInt();
            log.findings.append(finding);
        }
    }
    std::stable_sort(log.findings.begin(), log.findings.end(),
                     [](const MpirunFinding& a, const MpirunFinding& b) { return a.at < b.at; });
    return log;
}

QString signalName(int number) {
    const char* abbreviation = ::sigabbrev_np(number);
    return abbreviation ? QStringLiteral("SIG") + QLatin1StringView(abbreviation)
                        : QStringLiteral("signal %1").arg(number);
}

} // namespace coxswain::core
