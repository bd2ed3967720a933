// Sorting columns whose values are spread over their range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "split/keys.hpp"
#include "split/order.hpp"

namespace mf::train {

// One pass puts rows into buckets of equal width, more than there are rows, so that nearly all come
// in order; a second one moves the others. A radix sort takes three passes whatever the values are.
class SpreadSort {
 public:
  static constexpr std::size_t kMostRows = 1 << 14;  // places have 16 bits

  // Writes what PackedSort sorts: keys relative to the smallest, and rows. Returns false, and has
  // written nothing, where values are missing, infinite or crowded.
  bool sort(const float* values, const Key* keys, const KeyRange& range,
            std::vector<std::uint64_t>& packed) {
    const std::size_t n = packed.size();
    if (n > kMostRows || range.n_missing > 0 || !fill_buckets(values, n, range)) return false;
    for (std::size_t i = 0; i < n; ++i)
      packed[begin_[static_cast<std::size_t>(bucket_[i])]++] =
          PackedSort::pack(keys[i] - range.min, static_cast<std::uint32_t>(i));
    for (std::size_t i = 1; i < n; ++i) {
      const std::uint64_t moving = packed[i];
      std::size_t to = i;
      for (; to > 0 && packed[to - 1] > moving; --to) packed[to] = packed[to - 1];
      packed[to] = moving;
    }
    return true;
  }

 private:
  static constexpr std::size_t kBucketsPerRow = 2;
  // Pairs of rows in one bucket, about, for each row, that are still sorted by moving one by one.
  // Values that are spread evenly have a quarter of a pair.
  static constexpr std::size_t kMostPairs = 8;

  bool fill_buckets(const float* values, std::size_t n, const KeyRange& range) {
    const std::size_t n_buckets = kBucketsPerRow * n;
    const float low = float_of(range.min), width = float_of(range.max) - low;
    const float scale = static_cast<float>(n_buckets - 1) / width;
    if (!(scale > 0.0F && scale < std::numeric_limits<float>::infinity())) return false;
    bucket_.resize(n);
    // Rounding is monotonic, and of so few buckets never as far as the next whole number.
    for (std::size_t i = 0; i < n; ++i)
      bucket_[i] = static_cast<std::int32_t>((values[i] - low) * scale);
    begin_.assign(n_buckets, 0);
    for (const std::int32_t b : bucket_) ++begin_[static_cast<std::size_t>(b)];
    std::size_t sum = 0, n_pairs = 0;
    for (std::uint16_t& begin : begin_) {
      const std::size_t size = begin;
      begin = static_cast<std::uint16_t>(sum);
      sum += size;
      n_pairs += size * size;
    }
    return n_pairs <= 2 * kMostPairs * n;
  }

  std::vector<std::int32_t> bucket_;  // of each row
  std::vector<std::uint16_t> begin_;  // of each bucket
};

}  // namespace mf::train
