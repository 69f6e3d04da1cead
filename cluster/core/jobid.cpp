// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/launchplan.h"

#include <QDateTime>
#include <QRandomGenerator>
#include <QRegularExpression>

namespace coxswain::core {

QString makeJobId() {
    const quint32 random = QRandomGenerator::system()->bounded(1U << 24);
    return QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss")) +
           QStringLiteral("-%1").arg(random, 6, 16, QLatin1Char('0'));
}

bool isJobId(QStringView text) {
    static const QRegularExpression shape(QStringLiteral("\\A[0-9]{8}-[0-9]{6}-[0-9a-f]{6}\\z"));
    return shape.match(text).hasMatch();
}

} // namespace coxswain::core
