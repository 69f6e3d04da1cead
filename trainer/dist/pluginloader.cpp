// SPDX-License-Identifier: Apache-2.0
#include "trainer/dist/deviceplugin.h"

#include "trainer/dist/errors.h"

#include <dlfcn.h>

#include <filesystem>
#include <vector>

namespace coxswain::trainer {
namespace {

namespace fs = std::filesystem;

/// Where this program may lie. On a node, where the bundle's ld.so started it, dladdr() knows the file and
/// /proc/self/exe is that ld.so; where a shell found it by PATH, it is the other way round.
std::vector<fs::path> ownFolders() {
    std::vector<fs::path> folders;
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&loadCudaPlugin), &info) != 0 && info.dli_fname)
        folders.push_back(fs::absolute(info.dli_fname).parent_path());
    std::error_code error;
    if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error)
        folders.push_back(program.parent_path());
    return folders;
}

[[noreturn]] void noDevice(const std::string& reason) {
    throw TrainerError(wire::ExitCode::NoDevice, "no GPU here: " + reason);
}

} // namespace

std::unique_ptr<DevicePlugin> loadCudaPlugin() {
    constexpr const char* name = "libcoxswain-cuda.so";
    const auto folders = ownFolders();
    fs::path file;
    for (const auto& folder : folders)
        for (const auto& candidate : {folder / "../lib" / name, folder / name})
            if (std::error_code ignored; file.empty() && fs::exists(candidate, ignored))
                file = candidate;
    if (file.empty())
        noDevice(std::string(name) + " is not beside the trainer in " +
                 (folders.empty() ? "." : folders.front().string()) + ": this runtime was built for CPUs");
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        noDevice(std::string("a library of the GPU runtime is missing: ") + ::dlerror());
    const auto create = reinterpret_cast<CreateCudaPlugin>(::dlsym(library, cudaPluginSymbol));
    if (!create)
        noDevice(file.string() + " is not a plugin of this trainer");
    std::string error;
    std::unique_ptr<DevicePlugin> plugin(create(&error));
    if (!plugin)
        noDevice(error);
    return plugin;
}

} // namespace coxswain::trainer
