// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/metricsstore.h"

#include <QList>
#include <QObject>
#include <QSet>
#include <QString>

#include <optional>

namespace coxswain::ui {

/// A rank as legends name it.
struct PlotRank {
    int rank = 0;
    QString node;
    QString label() const; ///< "node1 · 0"
};

/// Something that happened at a step.
struct PlotMark {
    enum class Kind { Checkpoint, Stop, Error, NonFinite, Restart, Other };
    double step = 0;
    Kind kind = Kind::Other;
    QString text;
};

/// What the plots of one run share: the store, the range of steps, the cursor, and which ranks are shown.
/// Note [Plot refresh]: poll() is called by a timer at most 30 times a second; it looks at the store's
/// revision and says changed() only when something is new. Panels then ask for bins, in as many columns as
/// they have pixels.
class PlotGroup : public QObject {
    Q_OBJECT
public:
    explicit PlotGroup(QObject* parent = nullptr);

    /// The store stays the caller's; nullptr before it goes away.
    void setStore(const core::MetricsStore* store, const QList<PlotRank>& ranks);
    const core::MetricsStore* store() const { return m_store; }
    void poll();

    const QList<PlotRank>& ranks() const { return m_ranks; }
    QList<PlotRank> visibleRanks() const;
    bool isVisible(int rank) const { return !m_hidden.contains(rank); }
    void setVisible(int rank, bool visible);
    const QList<PlotMark>& marks() const { return m_marks; }
    bool hasData() const { return m_full.has_value(); }

    double from() const { return m_from; }
    double to() const { return m_to; }
    /// A part of the whole; limited to it. Where it ends at the newest step, it goes on following.
    void setRange(double from, double to);
    void zoom(double factor, double at);
    void pan(double fraction);
    void showAll();
    /// Whether the view moves with the newest step.
    bool follows() const { return m_follows; }
    void setFollows(bool follows);

    std::optional<double> cursor() const { return m_cursor; }
    void setCursor(std::optional<double> step);

signals:
    void changed(); ///< data, range, ranks or marks
    void cursorChanged();
    void followsChanged(bool follows);
    void ranksChanged(); ///< ranks() is not what it was

private:
    void readExtent();
    void readMarks();
    void fit();
    void changeFollows(bool follows);

    const core::MetricsStore* m_store = nullptr;
    quint64 m_revision = 0;
    QList<PlotRank> m_ranks;
    QSet<int> m_hidden;
    QList<PlotMark> m_marks;
    std::optional<std::pair<double, double>> m_full;
    double m_from = 0;
    double m_to = 1;
    bool m_all = true; ///< the whole run is shown, however long it gets
    bool m_follows = true;
    std::optional<double> m_cursor;
};

} // namespace coxswain::ui
