// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/model/decoder.h"

#include <filesystem>
#include <functional>

namespace coxswain::trainer {

/// What a model folder holds: its config.json, and whether its head is the embedding. That needs the weights
/// too: some checkpoints say tie_word_embeddings and have another lm_head.weight all the same, which then
/// counts, as in transformers. Throws TrainerError(BadModel).
DecoderConfig readDecoderConfig(const std::filesystem::path& folder);

/// Fills a decoder's parameters from model.safetensors, or from the files that model.safetensors.index.json
/// names. Every parameter must be there in its shape; fp32, bf16 and fp16 are converted. Inside conditional
/// checkpoints names may begin with "language_model.model." or "model.language_model.".
void loadHuggingFace(const Decoder& decoder, const std::filesystem::path& folder);

/// Writes config.json and model.safetensors (fp32) as transformers reads them. With `source`, the folder that
/// the model was loaded from: names are the source's, tensors that are no parameters (a vision tower) are
/// kept as they are, and every file that holds no weights comes along (tokenizer, chat template, licence).
/// The folder appears complete or not at all: it is made beside, synced and renamed; an older one of the same
/// name is replaced. `addFiles` may write more files into the folder before that; a source's files of that
/// kind (trainerStateFile) do not come along.
void saveHuggingFace(const Decoder& decoder, const std::filesystem::path& folder,
                     const std::filesystem::path& source = {},
                     const std::function<void(const std::filesystem::path& folder)>& addFiles = {});

/// What of a checkpoint's folder describes the training, not the model.
inline constexpr const char* trainerStateFile = "trainer_state.json";

} // namespace coxswain::trainer
