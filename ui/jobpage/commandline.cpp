// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobpage/commandline.h"

#include "trainer/wire/jobspec.h"

#include <QRegularExpression>

namespace coxswain::ui {
namespace {

using nlohmann::json;

json::json_pointer pointer(const std::string& path) {
    QString text = QString::fromStdString(path);
    return json::json_pointer(
        (QLatin1Char('/') + text.replace(QLatin1Char('.'), QLatin1Char('/'))).toStdString());
}

} // namespace

QString shellQuoted(const QString& word) {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_@%+=:,./-]+$"));
    if (plain.match(word).hasMatch())
        return word;
    QString quoted = word;
    return QLatin1Char('\'') + quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
}

QString commandFor(const QString& file, const json& saved, const json& current, const QStringList& nodes) {
    if (file.isEmpty() || !saved.is_object())
        return {};
    QStringList words{QStringLiteral("coxswain-cli"), QStringLiteral("run"), shellQuoted(file)};
    // What the command can change is taken over one by one; the rest has to be as in the file.
    json reached = saved;
    std::vector<std::string> paths{"data.source"};
    for (const auto& field : wire::jobFields())
        paths.push_back(field.path);
    for (const auto& path : paths) {
        const auto at = pointer(path);
        if (!current.contains(at) || (saved.contains(at) && saved[at] == current[at]))
            continue;
        const json& value = current[at];
        reached[at] = value;
        const bool text =
            value.is_string() && json::parse(value.get<std::string>(), nullptr, false).is_discarded();
        words.append(QStringLiteral("--set"));
        words.append(shellQuoted(
            QString::fromStdString(path + '=' + (text ? value.get<std::string>() : value.dump()))));
    }
    json wanted = current;
    if (wanted.value("nodes", json()) != reached.value("nodes", json())) {
        words.append(QStringLiteral("--nodes"));
        words.append(shellQuoted(nodes.isEmpty() ? QStringLiteral("local") : nodes.join(QLatin1Char(','))));
    }
    wanted.erase("nodes");
    reached.erase("nodes");
    return wanted == reached ? words.join(QLatin1Char(' ')) : QString();
}

} // namespace coxswain::ui
