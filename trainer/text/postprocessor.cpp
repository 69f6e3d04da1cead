// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/postprocessor.h"

namespace coxswain::text {

PostProcessor::PostProcessor(const JsonField& json) {
    add(json);
}

void PostProcessor::add(const JsonField& json) {
    const auto type = json.at("type");
    const std::string name = type.text();
    if (name == "Sequence") {
        json.expectOnly({"type", "processors"});
        for (const auto& one : json.at("processors").elements())
            add(one);
    } else if (name == "ByteLevel") {
        json.expectOnly({"type", "add_prefix_space", "trim_offsets", "use_regex"});
    } else if (name == "TemplateProcessing") {
        m_templates.push_back(readTemplate(json));
    } else {
        type.refuse("TemplateProcessing, ByteLevel or Sequence: no other post-processor is supported");
    }
}

std::vector<PostProcessor::Item> PostProcessor::readTemplate(const JsonField& json) {
    json.expectOnly({"type", "single", "pair", "special_tokens"});
    const auto tokens = json.at("special_tokens");
    std::vector<Item> items;
    for (const auto& piece : json.at("single").elements()) {
        piece.expectOnly({"Sequence", "SpecialToken"});
        if (const auto sequence = piece.find("Sequence")) {
            if (sequence->at("id").text() != "A")
                sequence->at("id").refuse("A: a single text has no other part");
            items.push_back({true, {}});
            continue;
        }
        const std::string id = piece.at("SpecialToken").at("id").text();
        Item item{false, {}};
        for (const auto& number : tokens.at(id.c_str()).at("ids").elements())
            item.ids.push_back(number.number());
        items.push_back(std::move(item));
    }
    return items;
}

void PostProcessor::apply(std::vector<std::int32_t>& ids, bool special) const {
    for (const auto& items : m_templates) {
        std::vector<std::int32_t> made;
        for (const auto& item : items) {
            const auto& from = item.text ? ids : item.ids;
            if (item.text || special)
                made.insert(made.end(), from.begin(), from.end());
        }
        ids = std::move(made);
    }
}

} // namespace coxswain::text
