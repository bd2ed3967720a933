// Ordering the rows of a node by key.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "split/keys.hpp"

namespace mf {

// Positions 0 .. m - 1 of the rows that are not missing, by ascending key; equal keys keep the
// order of positions, so that every path gives the same answer.
class KeyOrder {
 public:
  std::span<const std::uint64_t> sort(std::span<const Key> keys, const KeyRange& range) {
    packed_.clear();
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] != kMissing)
        packed_.push_back((static_cast<std::uint64_t>(keys[i] - range.min) << 32) | i);
    if (packed_.size() <= kComparisonSort)
      std::sort(packed_.begin(), packed_.end());
    else
      radix_sort(range.max - range.min);
    return packed_;
  }
  // Unpacking: the key relative to range.min, and the position.
  static Key key(std::uint64_t packed) { return static_cast<Key>(packed >> 32); }
  static std::uint32_t position(std::uint64_t packed) { return static_cast<std::uint32_t>(packed); }

 private:
  static constexpr std::size_t kComparisonSort = 160;
  static constexpr int kDigitBits = 11;

  // Least significant digit first; a small range takes one pass, which is a counting sort.
  void radix_sort(Key span) {
    const int bits = std::bit_width(span);
    other_.resize(packed_.size());
    for (int shift = 0; shift < bits; shift += kDigitBits) {
      std::array<std::uint32_t, (1U << kDigitBits) + 1> start{};
      constexpr std::uint64_t mask = (1U << kDigitBits) - 1;
      for (const std::uint64_t p : packed_) ++start[((p >> (32 + shift)) & mask) + 1];
      for (std::size_t d = 1; d < start.size(); ++d) start[d] += start[d - 1];
      for (const std::uint64_t p : packed_) other_[start[(p >> (32 + shift)) & mask]++] = p;
      packed_.swap(other_);
    }
  }

  std::vector<std::uint64_t> packed_, other_;
};

}  // namespace mf
