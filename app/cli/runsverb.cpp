// SPDX-License-Identifier: GPL-3.0-or-later
// runs and export: what lies on the desktop.
#include "app/cli/arguments.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "cluster/job/csvexport.h"
#include "cluster/job/json.h"

#include <QFile>

#include <cstdio>

namespace coxswain::cli {

using nlohmann::json;

int runsVerb(const QStringList& list) {
    Arguments arguments(QStringLiteral("runs"), QStringLiteral("Lists all runs, newest first."), {});
    arguments.addJson();
    if (const auto status = arguments.process(list, 0, 0))
        return *status;
    const QString runs = job::Paths::standard().runs;
    QStringList unreadable;
    const auto records = job::RunFolder::list(runs, &unreadable);
    json array = json::array();
    for (const auto& record : records) {
        auto object = toJson(record);
        object["folder"] = job::text(runs + QLatin1Char('/') + record.id);
        object["created"] = job::text(record.created.toString(Qt::ISODate));
        array.push_back(std::move(object));
        if (!arguments.json())
            print(QStringLiteral("%1  %2 %3 %4 ranks  %5 steps  loss %6")
                      .arg(record.id, stateText(record).leftJustified(9), record.name.leftJustified(16))
                      .arg(record.plan.worldSize, 3)
                      .arg(record.steps, 7)
                      .arg(lossText(record.lastLoss)));
    }
    for (const auto& id : unreadable)
        complain(QStringLiteral("run %1 cannot be read: %2/%1/run.json is damaged").arg(id, runs));
    if (arguments.json())
        printJson({{"runs", std::move(array)}});
    return 0;
}

int exportVerb(const QStringList& list) {
    Arguments arguments(QStringLiteral("export"),
                        QStringLiteral("Writes every rank's step lines of a run as CSV."),
                        QStringLiteral("RUN"));
    arguments.parser().addOption(
        {QStringLiteral("csv"), QStringLiteral("Write CSV (the only format so far).")});
    arguments.parser().addOption({QStringLiteral("output"),
                                  QStringLiteral("File to write (default: standard output)."),
                                  QStringLiteral("FILE")});
    if (const auto status = arguments.process(list, 1, 1))
        return *status;
    if (!arguments.has("csv")) {
        complain(QStringLiteral("expected --csv"));
        return 2;
    }
    const auto folder = job::RunFolder::open(job::Paths::standard().runs, arguments.positional().first());
    if (!folder) {
        complain(folder.error());
        return 1;
    }
    QFile out;
    const QString name = arguments.parser().value(QStringLiteral("output"));
    out.setFileName(name);
    const bool open =
        name.isEmpty() ? out.open(stdout, QIODevice::WriteOnly) : out.open(QIODevice::WriteOnly);
    const auto written =
        open ? job::exportCsv(*folder, out)
             : core::fail(
                   {core::ErrorCode::Permission, {}, QStringLiteral("write ") + name, out.errorString(), {}});
    if (!written) {
        complain(written.error());
        return 1;
    }
    return 0;
}

} // namespace coxswain::cli
