// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

namespace coxswain::ui {

enum class Quantity { Plain, Small, Bytes, Rate, Milliseconds };

/// "2.837", "1e-4", "1.2 GiB", "12.3 k", "85.2 ms"
QString quantityText(Quantity quantity, double value);

/// Ticks at round numbers of the quantity: powers of two for bytes.
class QuantityTicker : public QCPAxisTicker {
public:
    explicit QuantityTicker(Quantity quantity) : m_quantity(quantity) { setTickCount(4); }

protected:
    double getTickStep(const QCPRange& range) override;
    QString getTickLabel(double tick, const QLocale& locale, QChar formatChar, int precision) override;

private:
    Quantity m_quantity;
    double m_step = 1;
};

} // namespace coxswain::ui
