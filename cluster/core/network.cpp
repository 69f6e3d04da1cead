// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/network.h"

#include <QSet>

#include <arpa/inet.h>

#include <algorithm>

namespace coxswain::core {
namespace {

struct Network {
    quint32 address = 0; ///< host bits cleared, host byte order
    int prefixLength = 0;

    quint32 mask() const { return prefixLength == 0 ? 0 : ~quint32(0) << (32 - prefixLength); }
    bool contains(quint32 other) const { return (other & mask()) == address; }
    QString cidr() const {
        in_addr raw{htonl(address)};
        char text[INET_ADDRSTRLEN] = "";
        inet_ntop(AF_INET, &raw, text, sizeof text);
        return QStringLiteral("%1/%2").arg(QLatin1StringView(text)).arg(prefixLength);
    }
};

std::optional<quint32> parseIpv4(const QString& text) {
    in_addr raw;
    if (inet_pton(AF_INET, text.toLatin1().constData(), &raw) != 1)
        return std::nullopt;
    return ntohl(raw.s_addr);
}

std::optional<Network> parseNetwork(const QString& address, int prefixLength) {
    const auto number = parseIpv4(address);
    if (!number || prefixLength < 1 || prefixLength > 31)
        return std::nullopt;
    Network network{0, prefixLength};
    network.address = *number & network.mask();
    return network;
}

std::optional<Network> parseNetwork(const Subnet& subnet) {
    const auto parts = subnet.cidr.split(u'/');
    return parts.size() == 2 ? parseNetwork(parts[0], parts[1].toInt()) : std::nullopt;
}

bool isCandidate(const NetworkInterface& interface) {
    const auto address = parseIpv4(interface.address);
    constexpr quint32 loopback = 127U << 24;
    constexpr quint32 linkLocal = (169U << 24) | (254U << 16);
    return address && interface.up && !interface.loopback && (*address & 0xff000000U) != loopback &&
           (*address & 0xffff0000U) != linkLocal;
}

/// Bridges of containers and virtual machines lead nowhere, even where their addresses differ.
bool looksVirtual(const QString& name) {
    static const QStringList prefixes{
        QStringLiteral("docker"), QStringLiteral("br-"),     QStringLiteral("virbr"),
        QStringLiteral("veth"),   QStringLiteral("lxc"),     QStringLiteral("cni"),
        QStringLiteral("podman"), QStringLiteral("flannel"), QStringLiteral("cali")};
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const QString& prefix) { return name.startsWith(prefix); });
}

const NetworkInterface* findIn(const Inventory& node, const Network& network, const QStringList& excluded) {
    for (const NetworkInterface& interface : node.interfaces)
        if (isCandidate(interface) && network.contains(*parseIpv4(interface.address)) &&
            !excluded.contains(interface.address))
            return &interface;
    return nullptr;
}

} // namespace

QStringList duplicateAddresses(const QList<Inventory>& nodes) {
    QStringList duplicates;
    QSet<QString> seen;
    for (const Inventory& node : nodes) {
        QSet<QString> own;
        for (const NetworkInterface& interface : node.interfaces)
            if (isCandidate(interface))
                own.insert(interface.address);
        for (const QString& address : own)
            if (seen.contains(address) && !duplicates.contains(address))
                duplicates.append(address);
        seen.unite(own);
    }
    duplicates.sort();
    return duplicates;
}

std::optional<Subnet> commonSubnet(const QList<Inventory>& nodes) {
    if (nodes.isEmpty())
        return std::nullopt;
    const QStringList duplicates = duplicateAddresses(nodes);
    std::optional<Network> best;
    std::pair<bool, int> bestRank; // (not virtual, smallest MTU on the way)
    for (const NetworkInterface& first : nodes[0].interfaces) {
        const auto network = parseNetwork(first.address, first.prefixLength);
        if (!network || !isCandidate(first) || duplicates.contains(first.address))
            continue;
        std::pair<bool, int> rank{true, first.mtu};
        bool common = true;
        for (const Inventory& node : nodes) {
            const NetworkInterface* interface = findIn(node, *network, duplicates);
            common = common && interface;
            if (!interface)
                break;
            rank.first = rank.first && !looksVirtual(interface->name);
            rank.second = std::min(rank.second, interface->mtu);
        }
        if (common && (!best || rank > bestRank)) {
            best = network;
            bestRank = rank;
        }
    }
    return best ? std::optional(Subnet{best->cidr()}) : std::nullopt;
}

std::optional<NetworkInterface> interfaceIn(const Inventory& node, const Subnet& subnet) {
    const auto network = parseNetwork(subnet);
    const NetworkInterface* found = network ? findIn(node, *network, {}) : nullptr;
    return found ? std::optional(*found) : std::nullopt;
}

QString addressIn(const Inventory& node, const Subnet& subnet) {
    const auto found = interfaceIn(node, subnet);
    return found ? found->address : QString();
}

} // namespace coxswain::core
