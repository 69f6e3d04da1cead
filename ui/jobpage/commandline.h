// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <QString>
#include <QStringList>

namespace coxswain::ui {

/// A word as a POSIX shell has to see it.
QString shellQuoted(const QString& word);

/// The coxswain-cli command that starts the same run: the file, --set for what was changed since it was
/// saved, and --nodes where the nodes differ from the file's. Empty when no command can say it: the job was
/// never saved, or something other than simple fields, data and nodes was changed.
QString commandFor(const QString& file, const nlohmann::json& saved, const nlohmann::json& current,
                   const QStringList& nodes);

} // namespace coxswain::ui
