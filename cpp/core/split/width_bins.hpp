// Bins of equal width for the keys of a column of floats.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "split/kernels/kernels.hpp"
#include "split/keys.hpp"

namespace mf::train {

// One subtraction and one multiplication per row, where quantiles take a comparison with each of
// them. Not for columns whose values lie together in few of the bins, as outliers make them do:
// build() then says so, and other bins must be found.
class WidthBins {
 public:
  static constexpr std::size_t kBins = 256;

  // Whether the bins fit. Of a sample of the rows at most one in kCrowd may lie in one bin, unless
  // all values in it are the same.
  bool build(std::span<const Key> keys, const KeyRange& range) {
    const float low = float_of(range.min), width = float_of(range.max) - low;
    const float scale = kScale / width;
    if (!(width <= kWidest && scale <= kLargestScale)) return false;
    keys_ = keys;
    bin_.resize(keys.size());
    kernels().bin_by_width(keys.data(), keys.size(), low, scale, bin_.data());
    return !crowded();
  }

  const std::uint8_t* bins() const { return bin_.data(); }

  // The keys that rows have on both sides of a cut.
  std::pair<Key, Key> around_cut(std::size_t last_left) const {
    Key below = 0, above = 0;
    kernels().keys_around(keys_.data(), bin_.data(), keys_.size(),
                          static_cast<std::uint8_t>(last_left), &below, &above);
    return {below, above};
  }

 private:
  static constexpr float kScale = 255.99F;       // the largest value is in the last bin
  static constexpr float kWidest = 1e38F;        // no overflow
  static constexpr float kLargestScale = 1e30F;  // nor of the scale
  static constexpr std::size_t kSample = 64, kCrowd = 8;

  // The rows of the sample are the same for all columns of a node.
  void choose_sample() {
    const std::size_t n = bin_.size();
    if (n == n_sampled_from_) return;
    n_sampled_from_ = n;
    n_sampled_ = std::min(n, kSample);
    const std::size_t step = n / n_sampled_;
    for (std::size_t s = 0; s < n_sampled_; ++s)
      sample_[s] = static_cast<std::uint32_t>(s * step + mix64(s) % step);  // below 2^31
  }

  bool crowded() {
    choose_sample();
    std::array<std::uint8_t, kBins> sampled{};  // at most kSample
    std::uint8_t most = 0, fullest = 0;
    for (std::size_t s = 0; s < n_sampled_; ++s) {
      const std::uint8_t bin = bin_[sample_[s]];
      if (++sampled[bin] <= most) continue;
      most = sampled[bin];
      fullest = bin;
    }
    return most * kCrowd > n_sampled_ && !constant(fullest);
  }

  bool constant(std::uint8_t bin) const {
    Key low = kMissing, high = 0;
    for (std::size_t i = 0; i < bin_.size(); ++i) {
      if (bin_[i] != bin) continue;
      low = std::min(low, keys_[i]);
      high = std::max(high, keys_[i]);
    }
    return low == high;
  }

  std::span<const Key> keys_;
  std::vector<std::uint8_t> bin_;
  std::size_t n_sampled_from_ = 0, n_sampled_ = 0;
  std::array<std::uint32_t, kSample> sample_{};
};

}  // namespace mf::train
