// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/inventory.h"

#include <optional>

/// Addresses and networks, IPv4 only: Open MPI 4.1 takes no IPv6 network in its *_if_include parameters.
namespace coxswain::core {

/// A network in CIDR notation, "10.77.0.0/24".
struct Subnet {
    QString cidr;
    bool operator==(const Subnet&) const = default;
};

/// A subnet in which every node has an address that is up and not loopback; private container bridges
/// (the same address on two nodes) are no candidates. Prefers the largest MTU, then the order of the first
/// node.
std::optional<Subnet> commonSubnet(const QList<Inventory>& nodes);

/// A node's interface, up and not loopback, with an address inside `subnet`; nothing when it has none.
std::optional<NetworkInterface> interfaceIn(const Inventory& node, const Subnet& subnet);

/// A node's address inside `subnet`; empty when it has none.
QString addressIn(const Inventory& node, const Subnet& subnet);

/// Addresses (not loopback) that more than one of the nodes has.
QStringList duplicateAddresses(const QList<Inventory>& nodes);

} // namespace coxswain::core
