// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>

/// Numbers as people read them: with units and no more digits than tell something. NaN and infinity are
/// written as such; a negative duration or rate means "not known".
namespace coxswain::ui::format {

/// "13.4 GiB"
QString bytes(double value);
/// "118 MiB/s"
QString bytesPerSecond(double value);
/// "850 ms", "12.3 s", "4 min 5 s", "3 h 12 min", "2 d 4 h"
QString duration(double seconds);
/// "1,234,567"
QString count(qint64 value);
/// "2.60 M", for numbers of parameters and the like
QString shortCount(double value);
/// "12.3 k tokens/s"
QString tokensPerSecond(double value);
/// Four significant digits, and an exponent only where it reads better: "2.837", "0.0001", "3.2e-7"
QString number(double value, int digits = 4);
/// "3 min ago", "yesterday 14:05", "2026-05-01 14:05"
QString ago(const QDateTime& then, const QDateTime& now);
/// The instant, for tool tips: "2026-05-01 14:05:09"
QString instant(const QDateTime& when);

} // namespace coxswain::ui::format
