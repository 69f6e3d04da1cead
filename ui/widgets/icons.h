// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/health.h"

#include <QColor>
#include <QIcon>
#include <QPixmap>

namespace coxswain::ui::icons {

/// Every severity has a shape of its own, so that the colour is never the only sign: a check mark, an "i" in
/// a circle, a triangle, a cross in an octagon, a question mark in a dashed circle.
QPixmap severity(core::Severity severity, const QColor& colour, int size = 16);
/// The same for item views, which would tint a pixmap in a selected row.
QIcon severityIcon(core::Severity severity, const QColor& colour);

enum class Page { Nodes, Job, Run, History };
/// Drawn in `colour`, and in `checkedColour` for the On state of a checkable button.
QIcon page(Page page, const QColor& colour, const QColor& checkedColour);

/// A piece of line as a legend shows it.
QPixmap line(const QColor& colour, Qt::PenStyle style, int width = 22, int height = 10);

} // namespace coxswain::ui::icons
