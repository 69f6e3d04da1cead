// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace coxswain::trainer {

struct Options {
    std::filesystem::path job;
    std::filesystem::path output; ///< default: the job file's folder
    int attempt = 1;
    bool showHelp = false;
};

/// Prints what is wrong, or the help, itself; nothing when the arguments cannot be used.
std::optional<Options> parseOptions(int argc, char** argv);

} // namespace coxswain::trainer
