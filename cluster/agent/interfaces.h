// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace coxswain::agent {

/// Every address of every interface: [{name, address, prefix_length, mac, mtu, up, loopback}].
nlohmann::json networkInterfaces();

} // namespace coxswain::agent
