// At most 256 bins for the keys of a column.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "split/kernels/kernels.hpp"
#include "split/keys.hpp"

namespace mf::train {

// Integers go into bins of equal width, one value each if there are at most 256, or fewer bins if
// so asked. Floats go between quantiles of a few keys, at most 64 bins, so that no outlier can
// empty the bins.
class KeyBins {
 public:
  static constexpr std::size_t kMaxBins = 256;
  static constexpr int kMaxBits = 8;

  static bool lossless(const KeyRange& range) {
    return range.integer && range.max - range.min < kMaxBins;
  }

  // Missing keys fall into any bin; callers leave them out. Integers get at most 2^bits bins.
  void build(const Column& column, int bits = kMaxBits) {
    const KeyRange& range = column.range;
    const std::span<const Key> keys = column.keys;
    min_ = range.min;
    integer_ = range.integer;
    bins_ = column.bytes.data();
    if (column.is_bytes() && bits < kMaxBits) return shift_bytes(column, bits);
    if (column.is_bytes()) {  // which are bins already
      min_ = key_of(std::int32_t{0});
      shift_ = 0;
      n_bins_ = static_cast<std::size_t>(range.max - min_) + 1;
      return;
    }
    bin_.resize(column.size());
    bins_ = bin_.data();
    if (integer_) {
      const Key width = range.max - range.min;
      shift_ = std::max(0, static_cast<int>(std::bit_width(width)) - bits);
      n_bins_ = (width >> shift_) + 1;
      if (column.is_codes())
        kernels().bin_codes(column.codes.data(), column.size(), min_, shift_, bin_.data());
      else
        kernels().bin_by_shift(keys.data(), keys.size(), min_, shift_, bin_.data());
    } else {
      choose_edges(keys);
      n_bins_ = edges_.size() + 1;
      kernels().bin_by_edges(keys.data(), keys.size(), edges_.data(), edges_.size(), bin_.data());
    }
  }

  std::size_t size() const { return n_bins_; }
  const std::uint8_t* bins() const { return bins_; }

  // The bin of the number nearest to zero, which is the commonest in images and sparse tables.
  std::uint8_t common() const {
    if (!integer_) return 0;
    const Key zero = std::max(min_, key_of(std::int32_t{0}));
    return static_cast<std::uint8_t>(std::min<std::size_t>((zero - min_) >> shift_, n_bins_ - 1));
  }

  // Keys on both sides of a cut between two bins: the largest that can go left, the smallest that
  // can go right. For floats both are the edge itself.
  std::pair<Key, Key> around_cut(std::size_t last_left, std::size_t first_right) const {
    if (!integer_) return {edges_[last_left], edges_[last_left]};
    return {min_ + ((static_cast<Key>(last_left) + 1) << shift_) - 1,
            min_ + (static_cast<Key>(first_right) << shift_)};
  }

 private:
  static constexpr std::size_t kEdges = Kernels::kMostEdges;
  static constexpr std::size_t kSample = 128;

  void shift_bytes(const Column& column, int bits) {
    const Key width = column.range.max - min_;
    shift_ = std::max(0, static_cast<int>(std::bit_width(width)) - bits);
    n_bins_ = (width >> shift_) + 1;
    bin_.resize(column.size());
    bins_ = bin_.data();
    const auto low = static_cast<std::uint8_t>(integer_of(min_));
    for (std::size_t i = 0; i < bin_.size(); ++i)
      bin_[i] = static_cast<std::uint8_t>((column.bytes[i] - low) >> shift_);
  }

  // Quantiles of a sample of the keys that are not missing, one from each of kSample stretches of
  // the node. Its place in the stretch varies: data with a periodic pattern must not be sampled at
  // one phase only.
  void choose_edges(std::span<const Key> keys) {
    const std::size_t step = std::max<std::size_t>(1, keys.size() / kSample);
    edges_.clear();
    for (std::size_t begin = 0; begin < keys.size() && edges_.size() < kSample; begin += step) {
      const std::size_t size = std::min(step, keys.size() - begin), first = mix64(begin) % size;
      std::size_t tried = 0;
      while (tried < size && keys[begin + (first + tried) % size] == kMissing) ++tried;
      if (tried < size) edges_.push_back(keys[begin + (first + tried) % size]);
    }
    std::sort(edges_.begin(), edges_.end());
    const std::size_t sampled = edges_.size(), wanted = std::min(kEdges, sampled);
    for (std::size_t e = 0; e < wanted; ++e) edges_[e] = edges_[(e + 1) * sampled / (wanted + 1)];
    edges_.resize(wanted);
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  }

  std::vector<std::uint8_t> bin_;
  const std::uint8_t* bins_ = nullptr;
  std::vector<Key> edges_;
  std::size_t n_bins_ = 0;
  Key min_ = 0;
  int shift_ = 0;
  bool integer_ = true;
};

}  // namespace mf::train
