// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/text/wordcache.h"

#include <cstdint>
#include <vector>

namespace coxswain::text {

/// A hash table from pairs of ids to what they merge into: open addressing, at most half full.
class MergeTable {
public:
    struct Merge {
        std::uint32_t rank;
        std::int32_t id;
    };

    explicit MergeTable(std::size_t count = 0) {
        std::size_t size = 16;
        while (size < 2 * count)
            size *= 2;
        m_entries.resize(size);
    }

    /// Adds a pair, or gives it another merge.
    void put(std::int32_t left, std::int32_t right, Merge merge) {
        Entry& entry = m_entries[place(keyOf(left, right))];
        entry = {keyOf(left, right), merge};
    }

    /// Nothing (null) when the pair does not merge.
    const Merge* find(std::int32_t left, std::int32_t right) const {
        const std::uint64_t key = keyOf(left, right);
        const Entry& entry = m_entries[place(key)];
        return entry.key == key ? &entry.merge : nullptr;
    }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0}; // ids are not negative
    struct Entry {
        std::uint64_t key = none;
        Merge merge{};
    };
    static std::uint64_t keyOf(std::int32_t left, std::int32_t right) {
        return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
    }
    std::size_t place(std::uint64_t key) const {
        std::size_t at = mixBits(key) & (m_entries.size() - 1);
        while (m_entries[at].key != key && m_entries[at].key != none)
            at = (at + 1) & (m_entries.size() - 1);
        return at;
    }
    std::vector<Entry> m_entries;
};

} // namespace coxswain::text
