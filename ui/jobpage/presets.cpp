// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobpage/presets.h"

#include <QCoreApplication>

namespace coxswain::ui {
namespace {

/// Qwen2's shape; the feed-forward layer is 8/3 of the hidden size, rounded to 64.
nlohmann::json decoder(int hidden, int layers, int heads, int keyValueHeads) {
    return {{"model_type", "qwen2"},
            {"vocab_size", 258},
            {"hidden_size", hidden},
            {"intermediate_size", (hidden * 8 / 3 + 63) / 64 * 64},
            {"num_hidden_layers", layers},
            {"num_attention_heads", heads},
            {"num_key_value_heads", keyValueHeads},
            {"max_position_embeddings", 2048},
            {"rms_norm_eps", 1e-6},
            {"rope_theta", 10000.0},
            {"tie_word_embeddings", true},
            {"initializer_range", 0.02}};
}

QString tr(const char* text) {
    return QCoreApplication::translate("ModelPresets", text);
}

} // namespace

std::vector<ModelPreset> modelPresets() {
    return {{tr("Small: 4 layers of 192"), decoder(192, 4, 6, 2)},
            {tr("Tiny: 2 layers of 64"), decoder(64, 2, 4, 2)},
            {tr("Medium: 8 layers of 384"), decoder(384, 8, 6, 2)},
            {tr("Large: 12 layers of 768"), decoder(768, 12, 12, 4)}};
}

} // namespace coxswain::ui
