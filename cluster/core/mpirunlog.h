// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

#include <optional>

/// What Open MPI 4.1 says when a job fails (tests/core/captures holds its real words). Private to
/// cluster/core.
namespace coxswain::core {

/// One message of mpirun's that tells of a failure.
struct MpirunFinding {
    enum class Kind {
        Signal,      ///< a rank died by a signal
        NodeLost,    ///< the connection to a node broke
        Start,       ///< a node or a rank could not be started
        Exit,        ///< a rank ended with a status
        Abort,       ///< a rank called MPI_Abort
        NotFinished, ///< a rank ended with 0 before the others, without MPI_Finalize
        Setup,       ///< MPI_Init failed, no slots, no shared memory …
        Warning,     ///< what follows from another's death
    };
    Kind kind = Kind::Warning;
    qsizetype at = 0; ///< place in the text, for the order
    int rank = -1;
    QString node;   ///< as mpirun or ssh names it: an address, a host name, an alias of ssh_config
    int number = 0; ///< signal or status
    QString words;  ///< of the message, one line
};

struct MpirunLog {
    QList<MpirunFinding> findings;    ///< in order
    QMap<int, QStringList> rankLines; ///< last lines of each rank's outputs, cleaned
    QStringList lastLines;            ///< of mpirun's own
};

/// For a log of any size and content: its beginning and its end are read, control codes are dropped.
MpirunLog parseMpirunLog(const QByteArray& bytes);

/// "SIGKILL"; "signal 64" for one without a name
QString signalName(int number);

} // namespace coxswain::core
