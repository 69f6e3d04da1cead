// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/wire/metrics.h"

#include <QList>

namespace coxswain::job {

/// Tokens per second and seconds per step over the newest steps of one rank, by that rank's own clock.
class Throughput {
public:
    void take(double time, const wire::StepLine& step) {
        if (!m_samples.isEmpty() && step.step <= m_samples.last().step)
            m_samples.clear(); // another attempt
        m_samples.append({time, step.step, step.tokens});
        if (m_samples.size() > window)
            m_samples.removeFirst();
    }
    /// -1 while it is not known.
    double tokensPerSecond() const {
        qint64 tokens = 0;
        for (qsizetype i = 1; i < m_samples.size(); ++i)
            tokens += m_samples[i].tokens;
        return seconds() > 0 ? static_cast<double>(tokens) / seconds() : -1;
    }
    double secondsPerStep() const {
        return seconds() > 0 ? seconds() / static_cast<double>(m_samples.size() - 1) : -1;
    }

private:
    static constexpr qsizetype window = 20;
    struct Sample {
        double time;
        qint64 step;
        qint64 tokens;
    };
    double seconds() const {
        return m_samples.size() < 2 ? 0 : m_samples.last().time - m_samples.first().time;
    }
    QList<Sample> m_samples;
};

} // namespace coxswain::job
