// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace coxswain::ui::format {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Format", text);
}

/// NaN and infinity; empty for a number.
QString nonFinite(double value) {
    if (std::isnan(value))
        return QStringLiteral("NaN");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    return {};
}

/// Three significant digits without an exponent, for values below 1000.
QString threeDigits(double value) {
    const double size = std::abs(value);
    return QLocale().toString(value, 'f', size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

QString scaled(double value, double factor, std::initializer_list<const char*> prefixes) {
    if (const QString odd = nonFinite(value); !odd.isEmpty())
        return odd;
    auto prefix = prefixes.begin();
    while (std::abs(value) >= 0.9995 * factor && prefix + 1 != prefixes.end()) {
        value /= factor;
        ++prefix;
    }
    const bool plain = prefix == prefixes.begin() && value == std::floor(value);
    const QString digits = plain ? QLocale().toString(qint64(value)) : threeDigits(value);
    return **prefix ? digits + QLatin1Char(' ') + QString::fromUtf8(*prefix) : digits;
}

} // namespace

QString bytes(double value) {
    return scaled(value, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
}

QString bytesPerSecond(double value) {
    return value < 0 ? tr("unknown") : tr("%1/s").arg(bytes(value));
}

QString duration(double seconds) {
    if (std::isnan(seconds) || seconds < 0)
        return tr("unknown");
    if (seconds == 0)
        return tr("0 s");
    if (seconds < 0.9995)
        return tr("%1 ms").arg(threeDigits(seconds * 1000));
    if (seconds < 59.95)
        return tr("%1 s").arg(QLocale().toString(seconds, 'f', 1));
    const qint64 whole = seconds < 9e15 ? std::llround(seconds) : 0;
    if (whole < 3600)
        return tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    const qint64 minutes = (whole + 30) / 60;
    if (minutes < 48 * 60)
        return tr("%1 h %2 min").arg(minutes / 60).arg(minutes % 60);
    return tr("%1 d %2 h").arg(minutes / 1440).arg(minutes % 1440 / 60);
}

QString count(qint64 value) {
    return QLocale().toString(value);
}

QString shortCount(double value) {
    return scaled(value, 1000, {"", "k", "M", "G", "T"});
}

QString tokensPerSecond(double value) {
    return value < 0 ? tr("unknown") : tr("%1 tokens/s").arg(shortCount(value));
}

QString number(double value, int digits) {
    if (const QString odd = nonFinite(value); !odd.isEmpty())
        return odd;
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator | QLocale::OmitLeadingZeroInExponent);
    const double size = std::abs(value);
    // toString's 'g' leaves trailing zeros out: curves that hover around 2.8 would jump in width.
    if (size >= 0.1 && size < 1e5) {
        const int before = size < 1 ? 0 : int(std::floor(std::log10(size))) + 1;
        return locale.toString(value, 'f', std::max(0, digits - std::max(1, before)));
    }
    return locale.toString(value, 'g', digits).replace(QLatin1Char('E'), QLatin1Char('e'));
}

QString ago(const QDateTime& then, const QDateTime& now) {
    if (!then.isValid())
        return {};
    const qint64 seconds = then.secsTo(now);
    if (seconds < 0)
        return instant(then);
    if (seconds < 60)
        return tr("just now");
    if (seconds < 3600)
        return tr("%1 min ago").arg(seconds / 60);
    const QDateTime local = then.toLocalTime();
    const QString clock = local.toString(QStringLiteral("HH:mm"));
    const qint64 days = local.date().daysTo(now.toLocalTime().date());
    if (days == 0)
        return tr("today %1").arg(clock);
    if (days == 1)
        return tr("yesterday %1").arg(clock);
    return local.toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

QString instant(const QDateTime& when) {
    return when.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

} // namespace coxswain::ui::format
