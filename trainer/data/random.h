// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace coxswain::trainer {

/// SplitMix64 (Steele, Lea, Flood 2014). Ours, because what std::shuffle and std::uniform_int_distribution
/// give is not specified, and the order of the data must be the same with every compiler.
class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (m_state += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    /// Uniform in [0, bound); the bias of the multiply-shift is below bound / 2^64.
    std::uint64_t below(std::uint64_t bound) {
        return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
    }

private:
    __extension__ using Wide = unsigned __int128;
    std::uint64_t m_state;
};

/// Mixes several numbers into one seed.
inline std::uint64_t mixSeeds(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
    SplitMix64 first(a);
    SplitMix64 second(first.next() ^ b);
    return SplitMix64(second.next() ^ c).next();
}

/// FNV-1a, to make a seed of a name.
inline std::uint64_t hashName(std::string_view name) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return hash;
}

/// 0 … count-1 in an order that depends on the seed alone (Fisher and Yates).
inline std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t seed) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<std::int64_t>(i);
    SplitMix64 random(seed);
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(i)]);
    return order;
}

} // namespace coxswain::trainer
