// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/quantity.h"

#include "ui/format.h"

#include <cmath>

namespace coxswain::ui {
namespace {

/// As many decimals as tell neighbouring ticks apart.
QString tickNumber(double tick, double step) {
    const int decimals = std::clamp(int(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
    return QLocale().toString(tick, 'f', decimals);
}

} // namespace

QString quantityText(Quantity quantity, double value) {
    switch (quantity) {
    case Quantity::Plain:
        return format::number(value);
    case Quantity::Small:
        return format::number(value, 3);
    case Quantity::Bytes:
        return format::bytes(value);
    case Quantity::Rate:
        return format::shortCount(value);
    case Quantity::Milliseconds:
        return format::duration(value / 1000);
    }
    return {};
}

double QuantityTicker::getTickStep(const QCPRange& range) {
    double unit = 1;
    if (m_quantity == Quantity::Bytes)
        while (unit * 1024 < range.size())
            unit *= 1024;
    m_step = cleanMantissa(range.size() / unit / (tickCount() + 1e-10)) * unit;
    return m_step;
}

QString QuantityTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    if (std::abs(tick) < m_step * 1e-6)
        return QStringLiteral("0");
    switch (m_quantity) {
    case Quantity::Bytes:
        return format::bytes(tick);
    case Quantity::Rate:
        return format::shortCount(tick);
    case Quantity::Small:
        return format::number(tick, 3);
    case Quantity::Plain:
    case Quantity::Milliseconds:
        break;
    }
    return std::abs(tick) >= 1e5 || m_step < 1e-6 ? format::number(tick, 3) : tickNumber(tick, m_step);
}

} // namespace coxswain::ui
