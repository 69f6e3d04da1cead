// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/failure.h"

#include "cluster/core/fixes.h"
#include "cluster/core/mpirunlog.h"

#include <QSet>

#include <algorithm>
#include <functional>

namespace coxswain::core {
namespace {

using Kind = MpirunFinding::Kind;
using wire::ExitCode;

constexpr qsizetype consequencesShown = 20;

/// A rank that only lost its peers, or waited for them in vain.
bool isConsequence(ExitCode code) {
    return code == ExitCode::Communication || code == ExitCode::Deadline;
}

QString words(ExitCode code) {
    return QString::fromStdString(std::string(wire::exitCodeName(code))).replace(u'_', u' ');
}

class Judge {
public:
    Judge(const Plan& plan, const QByteArray& log, const QList<RankError>& errors,
          const std::optional<int>& status)
        : m_plan(plan), m_log(parseMpirunLog(log)), m_errors(errors), m_status(status) {
        std::stable_sort(m_errors.begin(), m_errors.end(),
                         [](const RankError& a, const RankError& b) { return a.time < b.time; });
    }

    std::optional<FailureCard> card() const {
        if (m_errors.isEmpty() && m_status == 0)
            return std::nullopt;
        auto lead = leadingCard();
        if (!lead)
            return std::nullopt;
        if (lead->fix.isEmpty())
            lead->fix = knownFix(lead->detail);
        for (const QString& consequence : everything())
            if (consequence != lead->headline && !lead->consequences.contains(consequence) &&
                lead->consequences.size() < consequencesShown)
                lead->consequences.append(consequence);
        return lead;
    }

private:
    /// The first that applies: a rank's own account of a cause, what mpirun saw happen to a rank or a node,
    /// what kept the job from starting, and only then what others suffered.
    std::optional<FailureCard> leadingCard() const {
        for (const RankError& error : m_errors)
            if (!isConsequence(error.line.code))
                return ofError(error);
        if (const auto* found = first([](const MpirunFinding& f) { return f.kind == Kind::Signal; }))
            return ofFinding(*found);
        if (const auto* found = first([](const MpirunFinding& f) { return isBadEnd(f); }))
            return ofFinding(*found);
        if (const auto* found = first(
                [](const MpirunFinding& f) { return f.kind == Kind::NodeLost || f.kind == Kind::Start; }))
            return ofFinding(*found);
        if (const auto silent = silentRank())
            return *silent;
        if (!m_errors.isEmpty())
            return ofError(m_errors.first());
        for (const Kind kind : {Kind::Setup, Kind::Abort, Kind::Exit, Kind::NotFinished, Kind::Warning})
            if (const auto* found = first([&](const MpirunFinding& f) { return f.kind == kind; }))
                return ofFinding(*found);
        if (m_status && *m_status != 0)
            return unexplained();
        return std::nullopt;
    }

    /// A rank that ended by itself, for a reason of its own.
    static bool isBadEnd(const MpirunFinding& finding) {
        const auto code = wire::exitCodeFromStatus(finding.number);
        const bool own = !code || !isConsequence(*code);
        return finding.kind == Kind::NotFinished ||
               ((finding.kind == Kind::Exit || finding.kind == Kind::Abort) && own);
    }

    const MpirunFinding* first(const std::function<bool(const MpirunFinding&)>& wanted) const {
        const auto found = std::find_if(m_log.findings.begin(), m_log.findings.end(), wanted);
        return found == m_log.findings.end() ? nullptr : &*found;
    }

    bool isRank(int rank) const { return rank >= 0 && rank < m_plan.worldSize && !m_plan.nodes.isEmpty(); }

    QString nodeName(int rank) const {
        return isRank(rank) ? nodeOfRank(m_plan, rank).host.toString() : QString();
    }

    /// mpirun and ssh name nodes by address, by their own host name, or by the alias in ssh_config.
    QString nodeName(const QString& seen) const {
        const QString plain = QString(seen).remove(u'[').remove(u']').remove(u',');
        for (const PlannedNode& node : m_plan.nodes)
            if (node.address == plain || node.host.host == plain ||
                plain == QStringLiteral("coxswain-node-%1").arg(node.index))
                return node.host.toString();
        return plain;
    }

    QString rankText(int rank) const {
        const QString node = nodeName(rank);
        return node.isEmpty() ? QStringLiteral("rank %1").arg(rank)
                              : QStringLiteral("rank %1 on %2").arg(rank).arg(node);
    }

    QString nodeText(const QString& node) const { return node.isEmpty() ? QStringLiteral("a node") : node; }

    FailureCard ofError(const RankError& error) const {
        FailureCard card;
        card.rank = error.rank;
        card.node = nodeName(error.rank);
        card.exitStatus = int(error.line.code);
        card.detail = QString::fromStdString(error.line.message);
        card.headline = headline(error);
        card.fix = fixForExit(error.line.code);
        return card;
    }

    QString headline(const RankError& error) const {
        const QString step =
            error.line.step > 0 ? QStringLiteral(" at step %1").arg(error.line.step) : QString();
        return QStringLiteral("%1: %2%3").arg(rankText(error.rank), words(error.line.code), step);
    }

    FailureCard ofFinding(const MpirunFinding& finding) const {
        FailureCard card;
        card.rank = finding.rank;
        card.node = finding.rank >= 0 ? nodeName(finding.rank) : nodeName(finding.node);
        card.headline = headline(finding);
        card.detail = finding.words;
        if (finding.kind == Kind::Signal) {
            card.signal = signalName(finding.number);
            card.fix = fixForSignal(finding.number);
        } else if (finding.kind == Kind::Exit || finding.kind == Kind::Abort ||
                   finding.kind == Kind::NotFinished) {
            card.exitStatus = finding.number;
            if (const auto code = wire::exitCodeFromStatus(finding.number))
                card.fix = fixForExit(*code);
        }
        // What the rank said last tells more than that it ended.
        if (const QStringList lines = m_log.rankLines.value(finding.rank); !lines.isEmpty())
            card.detail += u'\n' + lines.mid(std::max<qsizetype>(0, lines.size() - 5)).join(u'\n');
        if (finding.rank < 0 && card.node.isEmpty())
            card.detail += u'\n' + m_log.lastLines.mid(0, 5).join(u'\n');
        return card;
    }

    QString headline(const MpirunFinding& finding) const {
        const QString rank = rankText(finding.rank);
        const QString node = nodeText(nodeName(finding.node));
        switch (finding.kind) {
        case Kind::Signal:
            return QStringLiteral("%1 was killed by %2").arg(rank, signalName(finding.number));
        case Kind::NotFinished:
            return QStringLiteral("%1 ended before the others").arg(rank);
        case Kind::NodeLost:
            return QStringLiteral("%1 was lost").arg(node);
        case Kind::Start:
            return finding.rank >= 0 ? QStringLiteral("%1 could not be started").arg(rank)
                                     : QStringLiteral("%1 could not be started").arg(node);
        case Kind::Exit:
        case Kind::Abort: {
            const auto code = wire::exitCodeFromStatus(finding.number);
            return QStringLiteral("%1 ended with status %2%3")
                .arg(rank)
                .arg(finding.number)
                .arg(code ? QStringLiteral(" (%1)").arg(words(*code)) : QString());
        }
        case Kind::Setup:
            return QStringLiteral("MPI could not be set up");
        case Kind::Warning:
            break;
        }
        return QStringLiteral("%1 lost its peers").arg(node);
    }

    /// Where all ranks but one ran into the deadline, the one that did not is whom they waited for.
    std::optional<FailureCard> silentRank() const {
        QSet<int> waited;
        for (const RankError& error : m_errors)
            if (error.line.code == ExitCode::Deadline)
                waited.insert(error.rank);
        if (m_plan.worldSize < 3 || waited.size() != m_plan.worldSize - 1)
            return std::nullopt;
        for (int rank = 0; rank < m_plan.worldSize; ++rank) {
            if (waited.contains(rank))
                continue;
            FailureCard card;
            card.rank = rank;
            card.node = nodeName(rank);
            card.headline = QStringLiteral("%1 did not answer: all others waited for it").arg(rankText(rank));
            card.detail = QString::fromStdString(m_errors.first().line.message);
            card.fix = fixForExit(ExitCode::Deadline);
            return card;
        }
        return std::nullopt;
    }

    FailureCard unexplained() const {
        FailureCard card;
        card.headline = QStringLiteral("mpirun ended with status %1").arg(*m_status);
        card.exitStatus = m_status;
        card.detail = m_log.lastLines.join(u'\n');
        return card;
    }

    QStringList everything() const {
        QStringList list;
        for (const RankError& error : m_errors)
            list.append(headline(error));
        for (const MpirunFinding& finding : m_log.findings)
            if (finding.kind != Kind::Setup)
                list.append(headline(finding));
        return list;
    }

    const Plan& m_plan;
    MpirunLog m_log;
    QList<RankError> m_errors;
    std::optional<int> m_status;
};

} // namespace

std::optional<FailureCard> whoFailedFirst(const Plan& plan, const QByteArray& mpirunLog,
                                          const QList<RankError>& errors,
                                          const std::optional<int>& mpirunStatus) {
    return Judge(plan, mpirunLog, errors, mpirunStatus).card();
}

} // namespace coxswain::core
