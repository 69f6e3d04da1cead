// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/text/jsonfield.h"

#include <cstdint>
#include <vector>

namespace coxswain::text {

/// The part "post_processor" of a tokenizer.json: TemplateProcessing for single texts, ByteLevel (which
/// concerns offsets only) and sequences of these. Immutable.
class PostProcessor {
public:
    /// Adds nothing.
    PostProcessor() = default;
    /// Throws TrainerError(BadModel) for a kind that is not known.
    explicit PostProcessor(const JsonField& json);

    /// Puts the template's tokens around `ids`; without `special` only what it does to the text itself.
    void apply(std::vector<std::int32_t>& ids, bool special) const;

private:
    struct Item {
        bool text;                     ///< the text's tokens, else:
        std::vector<std::int32_t> ids; ///< a special token's
    };
    void add(const JsonField& json);
    static std::vector<Item> readTemplate(const JsonField& json);

    std::vector<std::vector<Item>> m_templates;
};

} // namespace coxswain::text
