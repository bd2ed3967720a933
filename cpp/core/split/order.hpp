// Ordering the rows of a node by key.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/radix_sort.hpp"
#include "split/keys.hpp"

namespace mf::train {

// Sorts numbers that hold a key relative to the smallest one above 32 other bits. Numbers of equal
// keys keep their order if the other bits ascend with the place.
class PackedSort {
 public:
  static std::uint64_t pack(Key key, std::uint32_t other) {
    return static_cast<std::uint64_t>(key) << 32 | other;
  }
  static Key key(std::uint64_t packed) { return static_cast<Key>(packed >> 32); }
  static std::uint32_t other(std::uint64_t packed) { return static_cast<std::uint32_t>(packed); }

  // The keys are relative to range.min.
  void sort(std::vector<std::uint64_t>& packed, const KeyRange& range) {
    const int bits = std::bit_width(range.max - range.min);
    if (packed.size() > kMostInBytes)
      radix_sort<11>(packed, other_, bits);
    else if (packed.size() > kMostInBuckets)
      radix_sort<8>(packed, other_, bits);
    else
      sort_in_buckets(packed, range);
  }

 private:
  static constexpr std::size_t kMostInBuckets = 160, kMostInBytes = 1024;
  static constexpr std::size_t kFew = 24;  // that are sorted by insertion
  static constexpr double kLargestScale = 1e100;

  // About as many buckets of equal width as there are numbers.
  void sort_in_buckets(std::vector<std::uint64_t>& packed, const KeyRange& range) {
    const std::size_t n_buckets = choose_buckets(packed, range);
    begin_.assign(n_buckets + 1, 0);
    for (const std::uint16_t b : bucket_) ++begin_[b + 1U];
    for (std::size_t b = 1; b < begin_.size(); ++b) begin_[b] += begin_[b - 1];
    other_.resize(packed.size());
    for (std::size_t i = 0; i < packed.size(); ++i) other_[begin_[bucket_[i]]++] = packed[i];
    packed.swap(other_);
    std::size_t begin = 0;  // begin_ has moved on to the ends
    for (std::size_t b = 0; b < n_buckets; ++b) {
      sort_bucket(packed.data() + begin, packed.data() + begin_[b]);
      begin = begin_[b];
    }
  }

  // Widths are equal in the values, which in floats are far from equal in the keys.
  std::size_t choose_buckets(const std::vector<std::uint64_t>& packed, const KeyRange& range) {
    bucket_.resize(packed.size());
    const std::size_t n_buckets = packed.size() + 1;
    const double low = range.integer ? 0.0 : range.decode(range.min);
    const double high =
        range.integer ? static_cast<double>(range.max - range.min) : range.decode(range.max);
    const double scale = static_cast<double>(packed.size()) / (high - low);
    if (!(scale > 0.0 && scale < kLargestScale)) {  // infinite values, or none that differ by much
      const int shift = std::max(0, static_cast<int>(std::bit_width(range.max - range.min)) -
                                        static_cast<int>(std::bit_width(packed.size())) + 1);
      for (std::size_t i = 0; i < packed.size(); ++i)
        bucket_[i] = static_cast<std::uint16_t>(key(packed[i]) >> shift);
      return n_buckets;
    }
    if (range.integer)
      place(packed, scale, [](Key k) { return static_cast<double>(k); });
    else
      place(packed, scale,
            [&](Key k) { return static_cast<double>(float_of(range.min + k)) - low; });
    return n_buckets;
  }

  template <class AboveLow>
  void place(const std::vector<std::uint64_t>& packed, double scale, const AboveLow& above_low) {
    for (std::size_t i = 0; i < packed.size(); ++i)
      bucket_[i] = static_cast<std::uint16_t>(scale * above_low(key(packed[i])));
  }

  static void sort_bucket(std::uint64_t* begin, std::uint64_t* end) {
    if (end - begin < 2) return;
    if (end - begin > static_cast<std::ptrdiff_t>(kFew)) {
      const bool equal =
          std::all_of(begin, end, [&](std::uint64_t p) { return key(p) == key(*begin); });
      if (!equal) std::sort(begin, end);
      return;
    }
    for (std::uint64_t* p = begin + 1; p < end; ++p) {
      const std::uint64_t moving = *p;
      std::uint64_t* to = p;
      for (; to > begin && to[-1] > moving; --to) *to = to[-1];
      *to = moving;
    }
  }

  std::vector<std::uint64_t> other_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint16_t> bucket_;
};

// Positions 0 .. m - 1 of the rows that are not missing, by ascending key; equal keys keep the
// order of positions, so that every path gives the same answer.
class KeyOrder {
 public:
  std::span<const std::uint64_t> sort(std::span<const Key> keys, const KeyRange& range) {
    packed_.clear();
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] != kMissing)
        packed_.push_back(PackedSort::pack(keys[i] - range.min, static_cast<std::uint32_t>(i)));
    sort_.sort(packed_, range);
    return packed_;
  }
  // Unpacking: the key relative to range.min, and the position.
  static Key key(std::uint64_t packed) { return PackedSort::key(packed); }
  static std::uint32_t position(std::uint64_t packed) { return PackedSort::other(packed); }

 private:
  std::vector<std::uint64_t> packed_;
  PackedSort sort_;
};

}  // namespace mf::train
