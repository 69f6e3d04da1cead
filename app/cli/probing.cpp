// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/probing.h"

#include "cluster/job/nodework.h"

#include <QEventLoop>

namespace coxswain::cli {

QList<Probed> probeAll(app::Context& context, const QList<core::HostName>& hosts) {
    QList<Probed> results;
    for (const auto& host : hosts)
        results.append({host, core::fail({})});
    QEventLoop loop;
    qsizetype left = hosts.size();
    for (qsizetype i = 0; i < hosts.size(); ++i)
        context.pool().run<core::Inventory>(
            hosts[i],
            [](remote::HostSession& session, const remote::CancelToken& cancel) {
                return job::probeNode(session, cancel);
            },
            &loop,
            [&, i](core::Expected<core::Inventory> inventory) {
                results[i].inventory = std::move(inventory);
                if (--left == 0)
                    loop.quit();
            });
    if (left > 0)
        loop.exec();
    return results;
}

} // namespace coxswain::cli
