// SPDX-License-Identifier: Apache-2.0
#include "trainer/dist/deviceplugin.h"

#include "trainer/dist/errors.h"

#include <dlfcn.h>

#include <filesystem>

namespace coxswain::trainer {
namespace {

/// The program's own folder. Not /proc/self/exe: that is the bundle's ld.so on a node.
std::filesystem::path ownFolder() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&loadCudaPlugin), &info) == 0 || !info.dli_fname)
        return ".";
    return std::filesystem::absolute(info.dli_fname).parent_path();
}

[[noreturn]] void noDevice(const std::string& reason) {
    throw TrainerError(wire::ExitCode::NoDevice, "no GPU here: " + reason);
}

} // namespace

std::unique_ptr<DevicePlugin> loadCudaPlugin() {
    constexpr const char* name = "libcoxswain-cuda.so";
    const auto folder = ownFolder();
    std::filesystem::path file = folder / "../lib" / name;
    if (!std::filesystem::exists(file))
        file = folder / name;
    if (!std::filesystem::exists(file))
        noDevice(std::string(name) + " is not beside the trainer in " + folder.string() +
                 ": this runtime was built for CPUs");
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
