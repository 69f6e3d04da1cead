// SPDX-License-Identifier: Apache-2.0
#include "trainer/text/bpemodel.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace coxswain::text {
namespace {

constexpr std::size_t shortWord = 24; // up to here going over all ranks is quicker than a queue
constexpr std::int32_t gone = -1;

} // namespace

void Merger::merge(std::vector<std::int32_t>& ids, const MergeTable& merges) {
    if (ids.size() <= shortWord)
        mergeShort(ids, merges);
    else
        mergeLong(ids, merges);
}

void Merger::mergeShort(std::vector<std::int32_t>& ids, const MergeTable& merges) {
    if (ids.size() < 2)
        return;
    constexpr MergeTable::Merge never{std::numeric_limits<std::uint32_t>::max(), gone};
    MergeTable::Merge pairs[shortWord];
    const auto look = [&](std::size_t i) {
        const auto* found = merges.find(ids[i], ids[i + 1]);
        pairs[i] = found ? *found : never;
    };
    std::size_t count = ids.size();
    for (std::size_t i = 0; i + 1 < count; ++i)
        look(i);
    while (count > 1) {
        std::size_t least = 0;
        for (std::size_t i = 1; i + 1 < count; ++i)
            if (pairs[i].rank < pairs[least].rank)
                least = i;
        if (pairs[least].id == gone)
            break;
        ids[least] = pairs[least].id;
        std::copy(ids.begin() + static_cast<std::ptrdiff_t>(least) + 2,
                  ids.begin() + static_cast<std::ptrdiff_t>(count),
                  ids.begin() + static_cast<std::ptrdiff_t>(least) + 1);
        std::copy(pairs + least + 1, pairs + count - 1, pairs + least);
        --count;
        if (least + 1 < count)
            look(least);
        if (least > 0)
            look(least - 1);
    }
    ids.resize(count);
}

void Merger::push(const std::vector<std::int32_t>& ids, std::int32_t at, const MergeTable& merges) {
    const auto place = static_cast<std::size_t>(at);
    const auto* found = merges.find(ids[place], ids[static_cast<std::size_t>(m_next[place])]);
    if (!found)
        return;
    m_queue.push_back(static_cast<std::uint64_t>(found->rank) << 32 | static_cast<std::uint32_t>(at));
    std::push_heap(m_queue.begin(), m_queue.end(), std::greater<>());
}

void Merger::mergeLong(std::vector<std::int32_t>& ids, const MergeTable& merges) {
    const auto count = static_cast<std::int32_t>(ids.size());
    m_queue.clear();
    m_next.resize(ids.size());
    m_previous.resize(ids.size());
    for (std::int32_t i = 0; i < count; ++i) {
        m_next[static_cast<std::size_t>(i)] = i + 1;
        m_previous[static_cast<std::size_t>(i)] = i - 1;
    }
    for (std::int32_t i = 0; i + 1 < count; ++i)
        push(ids, i, merges);
    while (!m_queue.empty()) {
        std::pop_heap(m_queue.begin(), m_queue.end(), std::greater<>());
        const std::uint64_t top = m_queue.back();
        m_queue.pop_back();
        const auto at = static_cast<std::int32_t>(top & 0xFFFFFFFFu);
        const auto place = static_cast<std::size_t>(at);
        if (ids[place] == gone || m_next[place] == count)
            continue;
        const auto right = static_cast<std::size_t>(m_next[place]);
        const auto* found = merges.find(ids[place], ids[right]);
        if (!found || found->rank != top >> 32)
            continue; // one of the two has been merged since
        ids[place] = found->id;
        ids[right] = gone;
        const std::int32_t after = m_next[right];
        m_next[place] = after;
        if (after < count) {
            m_previous[static_cast<std::size_t>(after)] = at;
            push(ids, at, merges);
        }
        if (m_previous[place] >= 0)
            push(ids, m_previous[place], merges);
    }
    std::erase(ids, gone);
}

} // namespace coxswain::text
