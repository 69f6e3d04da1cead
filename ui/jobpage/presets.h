// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <QString>

#include <vector>

namespace coxswain::ui {

/// A decoder to train from scratch, over bytes (258 tokens).
struct ModelPreset {
    QString title; ///< "Small: 4 layers of 192"
    nlohmann::json config;
};

/// The first one learns a book on two CPU cores within minutes.
std::vector<ModelPreset> modelPresets();

} // namespace coxswain::ui
