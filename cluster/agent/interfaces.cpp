// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/interfaces.h"

#include "cluster/agent/io.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <bit>
#include <string>

namespace coxswain::agent {
namespace {

using nlohmann::json;

int onesIn(const void* mask, std::size_t bytes) {
    int ones = 0;
    for (std::size_t i = 0; i < bytes; ++i)
        ones += std::popcount(static_cast<const unsigned char*>(mask)[i]);
    return ones;
}

std::string systemValue(const std::string& interface, const char* name) {
    std::string text = readFile("/sys/class/net/" + interface + '/' + name, 256);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

} // namespace

json networkInterfaces() {
    json list = json::array();
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0)
        return list;
    for (const ifaddrs* i = all; i; i = i->ifa_next) {
        const int family = i->ifa_addr ? i->ifa_addr->sa_family : 0;
        if (family != AF_INET && family != AF_INET6)
            continue;
        const bool four = family == AF_INET;
        const void* address =
            four ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(i->ifa_addr)->sin_addr)
                 : &reinterpret_cast<sockaddr_in6*>(i->ifa_addr)->sin6_addr;
        const void* mask =
            !i->ifa_netmask ? nullptr
            : four ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(i->ifa_netmask)->sin_addr)
                   : &reinterpret_cast<sockaddr_in6*>(i->ifa_netmask)->sin6_addr;
        char text[INET6_ADDRSTRLEN] = "";
        ::inet_ntop(family, address, text, sizeof text);
        const std::string name = i->ifa_name;
        const std::string mtu = systemValue(name, "mtu");
        list.push_back({{"name", name},
                        {"address", text},
                        {"prefix_length", mask ? onesIn(mask, four ? 4 : 16) : 0},
                        {"mac", systemValue(name, "address")},
                        {"mtu", mtu.empty() ? 0 : std::atoi(mtu.c_str())},
                        {"up", (i->ifa_flags & IFF_UP) != 0 && (i->ifa_flags & IFF_RUNNING) != 0},
                        {"loopback", (i->ifa_flags & IFF_LOOPBACK) != 0}});
    }
    ::freeifaddrs(all);
    return list;
}

} // namespace coxswain::agent
