// SPDX-License-Identifier: GPL-3.0-or-later
// coxswain: the window.
#include "app/context.h"
#include "ui/mainwindow.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>

using namespace coxswain;

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("coxswain"));
    QApplication::setApplicationDisplayName(QStringLiteral("Coxswain"));
    QApplication::setApplicationVersion(QStringLiteral(COXSWAIN_VERSION));

    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Launches and watches training on several machines."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption job(QStringLiteral("job"), QStringLiteral("Open this job file."),
                                 QStringLiteral("FILE"));
    const QCommandLineOption set(
        QStringLiteral("set"),
        QStringLiteral("Set a field of the job, such as train.steps=50 (may be repeated)."),
        QStringLiteral("KEY=VALUE"));
    const QCommandLineOption run(QStringLiteral("run"), QStringLiteral("Start the job at once."));
    parser.addOptions({job, set, run});
    app::LoginOptions::addTo(parser);
    parser.process(application);

    app::Context context(app::LoginOptions::from(parser), true);
    QDir().mkpath(context.paths().config);
    ui::Settings settings(context.paths().config);
    ui::Theme theme(application);
    ui::MainWindow window(
        {context.paths(), context.nodes(), context.runs(), context.questions(), settings, theme});
    window.show();
    if (parser.isSet(job))
        window.openJob(parser.value(job), parser.values(set), parser.isSet(run));
    return QApplication::exec();
}
