// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"
#include "cluster/core/health.h"
#include "cluster/job/run.h"

#include <nlohmann/json.hpp>

#include <QString>

/// What the verbs print. Results go to standard output, everything else to standard error.
namespace coxswain::cli {

void print(const QString& line);
void say(const QString& line);
void complain(const QString& message);
void complain(const core::Error& error);
/// One line of JSON on standard output.
void printJson(const nlohmann::json& value);

QString sizeText(qint64 bytes);       ///< "1.9 GB"
QString durationText(double seconds); ///< "1 h 03 min", "12.3 s"
QString lossText(const std::optional<double>& loss);

nlohmann::json toJson(const core::CheckResult& check);
nlohmann::json toJson(const core::Gpu& gpu);
nlohmann::json toJson(const core::Plan& plan);
nlohmann::json toJson(const job::RunRecord& record);

/// A run's outcome: "running" while it has none.
QString stateText(const job::RunRecord& record);

} // namespace coxswain::cli
