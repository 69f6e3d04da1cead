// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trainer/wire/jobspec.h"

#include <QString>

/// The words for a job's simple fields.
namespace coxswain::ui::fieldtexts {

/// "Learning rate"; made from the path for a field that this version has no title for.
QString title(const wire::FieldInfo& field);
/// wire's one line of help, translated.
QString help(const wire::FieldInfo& field);
QString unit(const wire::FieldInfo& field);
/// Fields that most people leave alone: folded away.
bool isAdvanced(const wire::FieldInfo& field);

} // namespace coxswain::ui::fieldtexts
