// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/runtimebundle.h"

#include "cluster/job/json.h"
#include "trainer/wire/sha256.h"
#include "trainer/wire/version.h"

#include <QFile>

namespace coxswain::job {
namespace {

using core::ErrorCode;
using nlohmann::json;

constexpr std::string_view runtimeFormat = "coxswain.runtime/1.0";

QString howToBuild(const QString& name) {
    return name == QStringLiteral("cpu")
               ? QStringLiteral("Build it with 'cmake --build build --target runtime-cpu'")
               : QStringLiteral("Run 'scripts/setup --runtime %1', then build the target runtime-%1")
                     .arg(name);
}

} // namespace

qint64 RuntimeBundle::bytes() const {
    qint64 sum = 0;
    for (const auto& file : files)
        sum += file.size;
    return sum;
}

core::Expected<RuntimeBundle> readRuntimeBundle(const QString& runtimes, const QString& name) {
    const QString path = runtimes + QLatin1Char('/') + name + QStringLiteral(".json");
    const QString tried = QStringLiteral("use the runtime \"%1\"").arg(name);
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return core::fail({ErrorCode::Missing,
                           {},
                           tried,
                           path + QStringLiteral(": ") + file.errorString(),
                           howToBuild(name)});
    const QByteArray bytes = file.readAll();
    RuntimeBundle bundle;
    bundle.folder = runtimes + QLatin1Char('/') + name;
    try {
        const json manifest = json::parse(bytes.begin(), bytes.end());
        const auto format = manifest.at("format").get<std::string>();
        if (!wire::isReadable(wire::matchFormat(format, runtimeFormat)))
            throw std::invalid_argument(wire::formatMismatch(format, runtimeFormat));
        bundle.name = text(manifest.at("name"));
        bundle.hash = text(manifest.at("hash"));
        for (const auto& entry : manifest.at("files")) {
            RuntimeBundle::File& f = bundle.files.emplace_back();
            f.path = text(entry.at("path"));
            f.size = entry.at("size").get<qint64>();
            f.mode = entry.at("mode").get<int>();
            f.sha256 = text(entry.at("sha256"));
        }
    } catch (const std::exception& e) {
        return core::fail({ErrorCode::Damaged,
                           {},
                           tried,
                           path + QStringLiteral(": ") + QString::fromUtf8(e.what()),
                           howToBuild(name)});
    }
    return bundle;
}

} // namespace coxswain::job
