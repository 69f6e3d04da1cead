// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/runpage/ansistripper.h"

#include <QPlainTextEdit>

namespace coxswain::ui {

/// The newest lines of mpirun's output, at most 10,000 of them. Follows the end while the end is in sight.
class LogView : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit LogView(QWidget* parent = nullptr);

    /// Shows another log from its start; only the end of a large one is read.
    void reset(const QByteArray& log);
    void append(const QByteArray& bytes);

private:
    AnsiStripper m_stripper;
};

} // namespace coxswain::ui
