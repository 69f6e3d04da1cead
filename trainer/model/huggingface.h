// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/model/decoder.h"

#include <filesystem>

namespace coxswain::trainer {

/// The config.json of a model folder. Throws TrainerError(BadModel).
nlohmann::json readConfig(const std::filesystem::path& folder);

/// Fills a decoder's parameters from model.safetensors, or from the files that model.safetensors.index.json
/// names. Every parameter must be there in its shape; fp32, bf16 and fp16 are converted.
void loadHuggingFace(const Decoder& decoder, const std::filesystem::path& folder);

/// Writes config.json and model.safetensors (fp32) as transformers reads them. The folder appears complete or
/// not at all: it is made beside, synced and renamed; an older one of the same name is replaced.
void saveHuggingFace(const Decoder& decoder, const std::filesystem::path& folder);

} // namespace coxswain::trainer
