// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace coxswain::test {

/// Several hosts on this machine, each with a real sshd (tests/hosts/testhosts). Needs root. Each test
/// program has a network of its own, so that they can run side by side.
class TestHosts {
public:
    /// Starts them; a set that an earlier run left behind is removed first. Throws std::runtime_error.
    TestHosts(const QString& net, int count, const QStringList& options = {});
    ~TestHosts();
    TestHosts(const TestHosts&) = delete;
    TestHosts& operator=(const TestHosts&) = delete;

    QString address(int node) const { return m_net + QLatin1Char('.') + QString::number(node); }
    QString identity() const { return m_folder + QStringLiteral("/id"); } ///< root's private key
    QString knownHosts() const {
        return m_folder + QStringLiteral("/known_hosts");
    } ///< true keys of all nodes

    /// What a shell script prints on a node, run there without ssh. Throws when it fails.
    QByteArray in(int node, const QString& script) const;
    /// Makes a user who logs in with identity(); `extra` is for useradd.
    void addUser(int node, const QString& name, const QStringList& extra = {}) const;
    /// One of the script's other verbs, such as {"cut", "2"}. Throws when it fails.
    QByteArray run(const QStringList& arguments) const;

private:
    QString m_net;
    QString m_folder;
};

} // namespace coxswain::test
