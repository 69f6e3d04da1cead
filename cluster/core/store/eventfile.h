// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/metricsstore.h"

#include <QFile>
#include <QSet>

namespace coxswain::core::store {

/// The store's events, also in a file of JSON lines: {"source": "rank", "index": 3, "line": {…}}.
class EventFile {
public:
    /// Damaged for a file with a line that cannot be read.
    static Expected<std::unique_ptr<EventFile>> open(const QString& path);

    /// False for an event that is already there: a reader that was interrupted may send lines again.
    Expected<bool> append(SeriesId::Source source, int index, const wire::MetricsLine& line);
    const QList<StoredEvent>& events() const { return m_events; }

private:
    explicit EventFile(const QString& path) : m_file(path) {}
    bool read();
    Error failure(ErrorCode code, const char* tried, const QString& seen) const;

    QFile m_file;
    QList<StoredEvent> m_events;
    QSet<QByteArray> m_lines; ///< of the file, to tell repetitions
};

} // namespace coxswain::core::store
