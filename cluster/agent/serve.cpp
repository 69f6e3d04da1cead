// SPDX-License-Identifier: Apache-2.0
#include "cluster/agent/serve.h"

#include "cluster/agent/channel.h"
#include "cluster/agent/detached.h"
#include "cluster/agent/failure.h"
#include "cluster/agent/jobs.h"
#include "cluster/agent/keys.h"
#include "cluster/agent/probe.h"
#include "cluster/agent/store.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <map>

namespace coxswain::agent {
namespace {

using nlohmann::json;

json greeting(const Folder& base) {
    utsname system{};
    ::uname(&system);
    const char* home = std::getenv("HOME");
    return {{"protocol", protocolVersion}, {"version", COXSWAIN_VERSION}, {"program", ownProgram()},
            {"pid", ::getpid()},           {"uid", ::getuid()},           {"user", userName()},
            {"home", home ? home : ""},    {"base", base.path()},         {"hostname", system.nodename}};
}

using Handler = std::function<json(const json& request)>;

std::map<std::string, Handler> handlers(const Folder& base, Channel& channel) {
    return {{"probe", [&](const json&) { return probe(base); }},
            {"missing", [&](const json& r) { return missing(base, r); }},
            {"put", [&](const json& r) { return put(base, r, channel); }},
            {"install", [&](const json& r) { return install(base, r); }},
            {"write", [&](const json& r) { return write(base, r, channel); }},
            {"supervise", [&](const json& r) { return supervise(base, r); }},
            {"sample", [&](const json& r) { return sample(base, r); }},
            {"read", [&](const json& r) { return read(base, r, channel); }},
            {"signal", [&](const json& r) { return signalJob(base, r); }},
            {"processes", [&](const json& r) { return processes(r); }},
            {"kill", [&](const json& r) { return kill(r); }},
            {"list-jobs", [&](const json&) { return listJobs(base); }},
            {"clean", [&](const json& r) { return clean(base, r); }},
            {"authorize", [&](const json& r) { return authorize(base, r); }},
            {"revoke", [&](const json& r) { return revoke(base, r); }},
            {"space", [&](const json& r) {
                 requireSpace(base, r.at("bytes").get<std::uint64_t>());
                 return json::object();
             }}};
}

} // namespace

int serve(const Folder& base, int in, int out) {
    Channel channel(in, out);
    try {
        channel.sendAnswer(greeting(base));
        const auto known = handlers(base, channel);
        for (json request; !(request = channel.readRequest()).is_null();) {
            std::string name;
            try {
                name = request.at("request").get<std::string>();
                const auto handler = known.find(name);
                if (handler == known.end())
                    throw Failure("protocol", "answer the request \"" + name + '"',
                                  "this agent does not know it");
                channel.sendAnswer(handler->second(request));
            } catch (const ChannelError&) {
                throw;
            } catch (const Failure& failure) {
                channel.sendFailure(failure.toJson());
            } catch (const json::exception& error) {
                channel.sendFailure(
                    Failure("bad_input", "read the request \"" + name + '"', error.what()).toJson());
            } catch (const std::exception& error) {
                channel.sendFailure(
                    Failure("failed", "carry out the request \"" + name + '"', error.what()).toJson());
            }
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "coxswain-agent: %s\n", error.what());
        return 1;
    }
}

} // namespace coxswain::agent
