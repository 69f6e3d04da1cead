// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/csvexport.h"

#include "cluster/job/json.h"
#include "trainer/wire/layout.h"

#include <QFile>
#include <QIODevice>

namespace coxswain::job {
namespace {

using nlohmann::json;

constexpr const char* columns[] = {"attempt",
                                   "step",
                                   "time",
                                   "epoch",
                                   "loss",
                                   "rank_loss",
                                   "tokens",
                                   "rank_tokens",
                                   "learning_rate",
                                   "gradient_norm",
                                   "milliseconds.data",
                                   "milliseconds.forward",
                                   "milliseconds.backward",
                                   "milliseconds.communication_wait",
                                   "milliseconds.optimizer",
                                   "milliseconds.total",
                                   "memory.resident",
                                   "memory.gpu_allocated",
                                   "memory.gpu_reserved",
                                   "memory.gpu_used",
                                   "memory.gpu_total"};

QByteArray cell(const json& line, const char* column) {
    const json* at = &line;
    for (const QByteArray& part : QByteArray(column).split('.')) {
        const auto found = at->find(part.toStdString());
        if (!at->is_object() || found == at->end())
            return {};
        at = &*found;
    }
    return QByteArray::fromStdString(at->is_string() ? at->get<std::string>() : at->dump());
}

} // namespace

core::Expected<void> exportCsv(const RunFolder& folder, QIODevice& out) {
    const auto record = folder.record();
    if (!record)
        return core::fail(record.error());
    QByteArray rows = "rank";
    for (const char* column : columns)
        rows += QByteArray(",") + column;
    rows += '\n';
    const auto write = [&] {
        const bool good = out.write(rows) == rows.size();
        rows.clear();
        return good;
    };
    const auto failed = [&] {
        return core::fail(
            {core::ErrorCode::NoSpace, {}, QStringLiteral("write the CSV"), out.errorString(), {}});
    };
    for (int rank = 0; rank < record->plan.worldSize; ++rank) {
        QFile file(folder.file(QString::fromStdString(wire::layout::rankFile(rank))));
        if (!file.open(QIODevice::ReadOnly))
            continue; // it has not written a line
        while (!file.atEnd()) {
            const QByteArray text = file.readLine();
            const json line = json::parse(text.begin(), text.end(), nullptr, false);
            if (!line.is_object() || line.value("kind", json()) != json("step"))
                continue;
            rows += QByteArray::number(rank);
            for (const char* column : columns)
                rows += ',' + cell(line, column);
            rows += '\n';
            if (rows.size() > (1 << 20) && !write())
                return failed();
        }
    }
    if (!write())
        return failed();
    return {};
}

} // namespace coxswain::job
