// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace coxswain::text {

inline std::uint64_t mixBits(std::uint64_t value) {
    value *= 0x9E3779B97F4A7C15ULL;
    return value ^ value >> 32;
}

inline std::uint64_t hashBytes(std::string_view bytes) {
    std::uint64_t hash = bytes.size();
    std::uint64_t eight = 0;
    while (bytes.size() >= sizeof eight) {
        std::memcpy(&eight, bytes.data(), sizeof eight);
        hash = mixBits(hash ^ eight);
        bytes.remove_prefix(sizeof eight);
    }
    if (!bytes.empty()) {
        eight = 0;
        std::memcpy(&eight, bytes.data(), bytes.size());
        hash = mixBits(hash ^ eight);
    }
    return mixBits(hash);
}

/// Remembers which tokens words make. Bounded: 32768 places of 128 bytes, two for each hash; a new word takes
/// the place of the older one. Only words of up to 56 bytes and 14 tokens are kept. Not for several threads.
class WordCache {
public:
    WordCache() : m_slots(places) {}

    /// The tokens of `word`, valid until the next call of put(); empty when it is not known.
    std::span<const std::int32_t> find(std::string_view word, std::uint64_t hash) const {
        const Slot* slot = &m_slots[placeOf(hash)];
        for (int way = 0; way < 2; ++way, ++slot)
            if (slot->hash == static_cast<std::uint32_t>(hash) && slot->size == word.size() &&
                std::memcmp(slot->word, word.data(), word.size()) == 0)
                return {slot->ids, slot->count};
        return {};
    }

    void put(std::string_view word, std::uint64_t hash, std::span<const std::int32_t> ids) {
        if (word.empty() || word.size() > sizeof Slot::word || ids.empty() ||
            ids.size() > std::size(Slot{}.ids))
            return;
        Slot* slot = &m_slots[placeOf(hash)];
        if (slot->size != 0) { // the newer one stands first
            slot[1] = slot[0];
        }
        slot->hash = static_cast<std::uint32_t>(hash);
        slot->size = static_cast<std::uint8_t>(word.size());
        slot->count = static_cast<std::uint8_t>(ids.size());
        std::memcpy(slot->word, word.data(), word.size());
        std::memcpy(slot->ids, ids.data(), ids.size_bytes());
    }

private:
    static constexpr std::size_t places = 1 << 15;
    struct alignas(64) Slot {
        std::uint32_t hash = 0;
        std::uint8_t size = 0; ///< 0: the place is free
        std::uint8_t count = 0;
        char word[56];
        std::int32_t ids[14];
    };
    static std::size_t placeOf(std::uint64_t hash) { return (hash >> 32) % places & ~std::size_t{1}; }

    std::vector<Slot> m_slots;
};

} // namespace coxswain::text
