// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/context.h"
#include "trainer/wire/jobspec.h"

#include <QCommandLineParser>

#include <optional>

namespace coxswain::cli {

/// A verb's command line: QCommandLineParser with what all verbs share. process() prints faults and the help.
class Arguments {
public:
    /// `positional` is for the help, such as "JOB.json".
    Arguments(const QString& verb, const QString& description, const QString& positional);

    QCommandLineParser& parser() { return m_parser; }
    void addLogin() { app::LoginOptions::addTo(m_parser); }
    void addJson();
    void addNodes(); ///< --nodes SPEC, may be repeated
    void addSet();   ///< --set KEY=VALUE, may be repeated

    /// An exit status when the verb must end at once: 0 after the help, 2 after a fault.
    std::optional<int> process(const QStringList& arguments, int least, int most);

    QStringList positional() const { return m_parser.positionalArguments(); }
    bool has(const char* option) const { return m_parser.isSet(QString::fromLatin1(option)); }
    bool json() const { return has("json"); }
    app::LoginOptions login() const { return app::LoginOptions::from(m_parser); }

    /// The hosts of --nodes; `otherwise` where there is none.
    core::Expected<QList<core::HostName>> nodes(const QStringList& otherwise) const;
    /// A job file with --set applied, and the folder that it lies in.
    struct Job {
        wire::JobSpec spec;
        QString folder;
    };
    /// Says every fault itself, field by field.
    std::optional<Job> readJob(const QString& file) const;

private:
    QString m_verb;
    QCommandLineParser m_parser;
};

} // namespace coxswain::cli
