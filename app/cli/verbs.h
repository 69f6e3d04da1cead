// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

/// One function for each verb of coxswain-cli: takes the arguments after the verb, returns the exit status: 0
/// only when it worked, 1 when it did not, 2 for wrong arguments.
namespace coxswain::cli {

int nodesVerb(const QStringList& arguments);
int checkVerb(const QStringList& arguments);
int planVerb(const QStringList& arguments);
int runVerb(const QStringList& arguments);
int runsVerb(const QStringList& arguments);
int attachVerb(const QStringList& arguments);
int stopVerb(const QStringList& arguments);
int exportVerb(const QStringList& arguments);
int tokenizeVerb(const QStringList& arguments);
int scoreVerb(const QStringList& arguments);
int gradientsVerb(const QStringList& arguments);

} // namespace coxswain::cli
