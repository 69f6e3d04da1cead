// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"

#include "app/cli/output.h"

#include <QFile>
#include <QFileInfo>

#include <cstdio>

namespace coxswain::cli {

Arguments::Arguments(const QString& verb, const QString& description, const QString& positional)
    : m_verb(verb) {
    m_parser.setApplicationDescription(description);
    m_parser.addHelpOption();
    if (!positional.isEmpty())
        m_parser.addPositionalArgument(positional, QString(), positional);
}

void Arguments::addJson() {
    m_parser.addOption({QStringLiteral("json"), QStringLiteral("Print results as JSON on standard output.")});
}

void Arguments::addNodes() {
    m_parser.addOption(
        {QStringLiteral("nodes"),
         QStringLiteral(
             "Nodes: names, user@host:port, ranges such as gpu[01-08], or 'local' (may be repeated)."),
         QStringLiteral("SPEC")});
}

void Arguments::addSet() {
    m_parser.addOption({QStringLiteral("set"),
                        QStringLiteral("Set a field of the job, such as train.steps=50 (may be repeated)."),
                        QStringLiteral("KEY=VALUE")});
}

std::optional<int> Arguments::process(const QStringList& arguments, int least, int most) {
    if (!m_parser.parse(QStringList(QStringLiteral("coxswain-cli ") + m_verb) + arguments)) {
        complain(m_parser.errorText());
        return 2;
    }
    if (m_parser.isSet(QStringLiteral("help"))) {
        std::fputs(m_parser.helpText().toUtf8().constData(), stdout);
        return 0;
    }
    const auto count = positional().size();
    if (count < least || count > most) {
        complain(count < least ? QStringLiteral("an argument is missing")
                               : QStringLiteral("unexpected argument '%1'").arg(positional()[most]));
        std::fputs(m_parser.helpText().toUtf8().constData(), stderr);
        return 2;
    }
    return std::nullopt;
}

core::Expected<QList<core::HostName>> Arguments::nodes(const QStringList& otherwise) const {
    const QStringList given = m_parser.values(QStringLiteral("nodes"));
    return core::parseHostList((given.isEmpty() ? otherwise : given).join(QLatin1Char('\n')));
}

std::optional<Arguments::Job> Arguments::readJob(const QString& name) const {
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly)) {
        complain(QStringLiteral("cannot read the job file %1: %2").arg(name, file.errorString()));
        return std::nullopt;
    }
    const std::string text = file.readAll().toStdString();
    nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
    if (document.is_discarded()) {
        complain(name + QStringLiteral(": ") +
                 QString::fromStdString(wire::parseJobText(text).error().front().text()));
        return std::nullopt;
    }
    for (const QString& setting : m_parser.values(QStringLiteral("set"))) {
        const auto at = setting.indexOf(QLatin1Char('='));
        const auto set =
            wire::setField(document, setting.left(at).toStdString(), setting.mid(at + 1).toStdString());
        if (at < 1 || !set) {
            complain(
                QStringLiteral("--set %1: ").arg(setting) +
                (at < 1 ? QStringLiteral("expected KEY=VALUE") : QString::fromStdString(set.error().text())));
            return std::nullopt;
        }
    }
    auto spec = wire::parseJobSpec(document);
    if (!spec) {
        for (const auto& error : spec.error())
            complain(name + QStringLiteral(": ") + QString::fromStdString(error.text()));
        return std::nullopt;
    }
    return Job{std::move(*spec), QFileInfo(name).absolutePath()};
}

} // namespace coxswain::cli
