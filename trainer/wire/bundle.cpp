// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/bundle.h"

#include "trainer/wire/sha256.h"

#include <nlohmann/json.hpp>

namespace coxswain::wire {
namespace {

using nlohmann::json;

/// Calls read(object) for a JSON object; what it throws becomes the error.
template <class T, class Read>
Result<T> readObject(std::string_view text, Read&& read) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object())
        return tl::unexpected(FieldError{"", "not a JSON object"});
    try {
        return read(object);
    } catch (const std::exception& e) {
        return tl::unexpected(FieldError{"", e.what()});
    }
}

} // namespace

std::vector<std::string> bundleCommand(const std::string& bundle, const std::string& program) {
    return {bundle + "/lib/ld-linux-x86-64.so.2", "--library-path", bundle + "/lib", bundle + '/' + program};
}

std::map<std::string, std::string> bundleEnvironment(const std::string& bundle) {
    return {{"OPAL_PREFIX", bundle},
            {"OPAL_LIBDIR", bundle + "/lib"},
            {"OPAL_PKGLIBDIR", bundle + "/lib/openmpi"},
            {"OPAL_PKGDATADIR", bundle + "/share/openmpi"},
            {"PMIX_MCA_mca_base_component_path", bundle + "/lib/pmix"},
            // The node's own plugins of hwloc were built for the node's own libraries.
            {"HWLOC_PLUGINS_PATH", bundle + "/lib/hwloc"},
            {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
            {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
}

std::string toJsonText(const NodeFile& file) {
    return json{{"runtime", file.runtime}, {"node", file.node}, {"environment", file.environment}}.dump(2) +
           '\n';
}

Result<NodeFile> parseNodeFile(std::string_view text) {
    return readObject<NodeFile>(text, [](const json& object) -> Result<NodeFile> {
        NodeFile file;
        object.at("runtime").get_to(file.runtime);
        object.at("node").get_to(file.node);
        object.at("environment").get_to(file.environment);
        if (!isSha256Hex(file.runtime))
            return tl::unexpected(FieldError{"runtime", "expected the hash of a runtime"});
        return file;
    });
}

std::string toJsonText(const LaunchFile& file) {
    return json{{"argv", file.argv}, {"environment", file.environment}, {"folder", file.folder}}.dump(2) +
           '\n';
}

Result<LaunchFile> parseLaunchFile(std::string_view text) {
    return readObject<LaunchFile>(text, [](const json& object) -> Result<LaunchFile> {
        LaunchFile file;
        object.at("argv").get_to(file.argv);
        object.at("environment").get_to(file.environment);
        object.at("folder").get_to(file.folder);
        if (file.argv.empty())
            return tl::unexpected(FieldError{"argv", "expected at least the program"});
        return file;
    });
}

} // namespace coxswain::wire
