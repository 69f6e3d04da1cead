// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"
#include "trainer/wire/metrics.h"

#include <QList>
#include <QString>

#include <memory>
#include <optional>

namespace coxswain::core {

/// A series is one metric of one source: rank r, or node n.
struct SeriesId {
    enum class Source { Rank, Node };
    Source source = Source::Rank;
    int index = 0;
    /// As in the wire format: "loss", "milliseconds.forward", "memory.gpu_used", "cpu_percent"; for a node's
    /// GPUs "gpu.0.memory_used", ".memory_total" (bytes), ".utilisation" (%), ".temperature" (°C), ".power"
    /// (W).
    QString metric;
    bool operator==(const SeriesId&) const = default;
};

enum class Axis { Step, Time };

/// One column of pixels, or one sample where there is room. `first` and `last` are x of what it covers.
struct Bin {
    double first = 0;
    double last = 0;
    double minimum = 0; ///< of the finite values; NaN when there is none
    double maximum = 0;
    double mean = 0;
    qint64 count = 0;       ///< samples, non-finite ones included; missing ones are not samples
    bool nonFinite = false; ///< NaN or infinity is among them
};

/// A line other than a step: what the plots mark.
struct StoredEvent {
    SeriesId::Source source = SeriesId::Source::Rank;
    int index = 0;
    int attempt = 1;
    double time = 0;
    wire::LineBody body; ///< Start, Event, Error or End
};

/// Columns per source and metric in memory-mapped files below `folder`, with min/max/mean levels over them:
/// memory does not grow with the run, and a plot gets no more bins than it has pixels. Raw values are kept,
/// so zooming in reaches the single step. Not thread-safe: one thread owns it.
class MetricsStore {
public:
    /// Opens or creates; a store that was cut short or is of another version is made anew (to fill it again
    /// from the run's folder is the caller's task: see position()). Conflict while another process has it
    /// open.
    static Expected<std::unique_ptr<MetricsStore>> open(const QString& folder);
    virtual ~MetricsStore() = default;

    /// Lines of a source come in the order of its file. One that was appended before changes nothing, so that
    /// a reader may begin again anywhere. NoSpace leaves the store as it was.
    virtual Expected<void> append(SeriesId::Source source, int index, const wire::MetricsLine& line) = 0;

    /// The caller's own note of how far (bytes) it has read the source's file into the store; 0 at first.
    /// Kept with the samples; after a crash it may lie a little before what was appended, never behind it.
    virtual qint64 position(SeriesId::Source source, int index) const = 0;
    virtual void setPosition(SeriesId::Source source, int index, qint64 position) = 0;

    /// Sources that have written at least one line, ascending.
    virtual QList<int> sources(SeriesId::Source source) const = 0;
    /// Metrics of which the source has at least one value.
    virtual QStringList metrics(SeriesId::Source source, int index) const = 0;
    virtual qint64 sampleCount(SeriesId::Source source, int index) const = 0;
    /// The newest step line of a rank; the newest sample of a node.
    virtual std::optional<wire::MetricsLine> latest(SeriesId::Source source, int index) const = 0;
    virtual const QList<StoredEvent>& events() const = 0;

    /// First and last x of a series; nothing when it is empty.
    virtual std::optional<std::pair<double, double>> extent(const SeriesId& series, Axis axis) const = 0;
    /// At most maxBins bins over [from, to], in order of x; bins without a sample are left out. Steps of a
    /// later attempt replace the same steps of an earlier one. Where there are no more samples than bins,
    /// each has its own. Nodes have no step axis.
    virtual QList<Bin> bins(const SeriesId& series, Axis axis, double from, double to, int maxBins) const = 0;

    /// Counts up with every append: cheap to compare for "is there something new".
    virtual quint64 revision() const = 0;
};

} // namespace coxswain::core
