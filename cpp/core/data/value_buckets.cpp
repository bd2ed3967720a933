#include "data/value_buckets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "base/ordered_bits.hpp"
#include "data/code_cutter.hpp"

namespace mf {
namespace {

// Numbers of 16 bits, one of which is left for missing values.
constexpr int kBucketBits = 16;
constexpr std::uint32_t kMostBuckets = (1U << kBucketBits) - 1;

// Buckets have equal widths up to this share of the largest size of a value, and equal ratios
// beyond: leading bits alone would leave most buckets to numbers near zero, which few rows have.
constexpr float kEvenShare = 1.0F / 128;

}  // namespace

// Not larger for a smaller value: sums are rounded in order.
inline std::uint32_t ValueBuckets::place(float value) const {
  const auto sign = std::bit_cast<std::uint32_t>(value) & 0x80000000U;
  const float far = std::abs(value) + knee_;
  const std::uint32_t size =
      std::bit_cast<std::uint32_t>(far) - std::bit_cast<std::uint32_t>(knee_);
  return sign != 0 ? 0x80000000U - size : 0x80000000U + size;
}

void ValueBuckets::set_scale(float least, float largest) {
  knee_ = std::max(std::abs(least), std::abs(largest)) * kEvenShare;
  first_place_ = place(least);
  const std::uint32_t width = place(largest) - first_place_;
  shift_ = std::max(0, static_cast<int>(std::bit_width(width)) - kBucketBits);
  if (width >> shift_ >= kMostBuckets) ++shift_;
  counts_.assign((width >> shift_) + std::size_t{2}, 0);
}

void ValueBuckets::count(const float* values, std::size_t n) {
  values_ = values;
  n_rows_ = n;
  // As signed numbers, of which all processors know the smaller and larger ones of a vector.
  constexpr std::uint32_t kSign = 0x80000000U;
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  std::int32_t least = std::numeric_limits<std::int32_t>::max(), largest = kLeast;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t key = ordered_bits(values[i]);
    const auto order = static_cast<std::int32_t>(key ^ kSign);
    least = std::min(least, order);
    largest = std::max(largest, key == kMissingBits ? kLeast : order);
  }
  bucket_.resize(n);
  if (least > largest) {  // all are missing
    counts_.assign(1, static_cast<std::uint32_t>(n));
    std::fill(bucket_.begin(), bucket_.end(), std::uint16_t{0});
    return;
  }
  const auto value_of = [](std::int32_t order) {
    return float_of_bits(static_cast<std::uint32_t>(order) ^ kSign);
  };
  set_scale(value_of(least), value_of(largest));
  const auto missing = static_cast<std::uint32_t>(counts_.size() - 1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t bucket = (place(values[i]) - first_place_) >> shift_;
    const auto size = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(values[i]) & ~kSign);
    bucket_[i] = static_cast<std::uint16_t>(size > kInfinityBits ? missing : bucket);
  }
  for (const std::uint16_t bucket : bucket_) ++counts_[bucket];
}

std::size_t ValueBuckets::n_used() const {
  const auto end = counts_.end() - 1;
  return static_cast<std::size_t>((end - counts_.begin()) - std::count(counts_.begin(), end, 0U));
}

void ValueBuckets::group() {
  end_.resize(counts_.size());
  std::uint32_t sum = 0;
  for (std::size_t b = 0; b < counts_.size(); ++b) {
    end_[b] = sum;
    sum += counts_[b];
  }
  keys_.resize(n_rows_);
  for (std::size_t i = 0; i < n_rows_; ++i) keys_[end_[bucket_[i]]++] = ordered_bits(values_[i]);
}

// The cuts of one column. Parts of it come in the order of their keys.
class ValueBuckets::Cuts {
 public:
  Cuts(CodeCutter cutter, UnwrittenVector<std::uint32_t>& scratch,
       std::vector<std::uint32_t>& last_key)
      : cutter_(cutter), scratch_(scratch), last_key_(last_key) {}

  void cut(std::span<std::uint32_t> part) {
    if (part.empty()) return;
    if (cutter_.adds_all(part.size())) {
      before_ = part;
    } else if (part.size() <= kFew) {
      std::sort(part.begin(), part.end());
      cut_sorted(part);
    } else {
      divide(part);
    }
  }

  void end() { end_code(); }

 private:
  static constexpr std::size_t kFew = 32;    // are sorted
  static constexpr std::size_t kParts = 64;  // of others

  void end_code() { last_key_.push_back(*std::max_element(before_.begin(), before_.end())); }

  void cut_sorted(std::span<const std::uint32_t> part) {
    for (auto value = part.begin(), next = value; value < part.end(); value = next) {
      next = std::find_if(value, part.end(), [&](std::uint32_t key) { return key != *value; });
      if (cutter_.begins(static_cast<std::size_t>(next - value))) end_code();
      before_ = {value, next};
    }
  }

  void divide(std::span<std::uint32_t> part) {
    const auto [least, largest] = std::minmax_element(part.begin(), part.end());
    const std::uint32_t first = *least, width = *largest - first;
    if (width == 0) return cut_sorted(part);
    const int shift = std::max(
        0, static_cast<int>(std::bit_width(width)) - static_cast<int>(std::bit_width(kParts - 1)));
    std::array<std::uint32_t, kParts + 1> begin{};
    for (const std::uint32_t key : part) ++begin[((key - first) >> shift) + 1];
    for (std::size_t d = 1; d < begin.size(); ++d) begin[d] += begin[d - 1];
    std::array<std::uint32_t, kParts + 1> next = begin;
    scratch_.assign(part.begin(), part.end());
    for (const std::uint32_t key : scratch_) part[next[(key - first) >> shift]++] = key;
    for (std::size_t d = 0; d < kParts; ++d) cut(part.subspan(begin[d], begin[d + 1] - begin[d]));
  }

  CodeCutter cutter_;
  UnwrittenVector<std::uint32_t>& scratch_;
  std::vector<std::uint32_t>& last_key_;
  std::span<const std::uint32_t> before_;  // the last part, or the rows of the last value
};

std::vector<float> ValueBuckets::cut(std::size_t most_codes) {
  group();
  const std::size_t n_buckets = counts_.size() - 1;
  last_key_.clear();
  Cuts cuts(CodeCutter(n_rows_ - counts_[n_buckets], most_codes), scratch_, last_key_);
  for (std::size_t b = 0; b < n_buckets; ++b)
    cuts.cut({keys_.data() + end_[b] - counts_[b], counts_[b]});
  cuts.end();
  std::vector<float> last(last_key_.size());
  std::transform(last_key_.begin(), last_key_.end(), last.begin(), float_of_bits);
  first_code_.clear();
  for (std::size_t code = 0; code < last.size(); ++code) {
    const std::size_t bucket = (place(last[code]) - first_place_) >> shift_;
    first_code_.resize(std::max(first_code_.size(), bucket + 1), static_cast<std::uint16_t>(code));
  }
  first_code_.push_back(static_cast<std::uint16_t>(last.size()));
  last_key_.push_back(kMissingBits);
  return last;
}

template <class Code>
void ValueBuckets::write(Code* codes) const {
  for (std::size_t i = 0; i < n_rows_; ++i) {
    const std::uint32_t key = ordered_bits(values_[i]);
    const std::uint16_t* const first = &first_code_[bucket_[i]];
    std::size_t code = *first;
    if (key > last_key_[code])  // in few buckets
      code = static_cast<std::size_t>(
          std::lower_bound(&last_key_[code + 1], &last_key_[first[1]], key) - last_key_.data());
    codes[i] = static_cast<Code>(code);
  }
}

template void ValueBuckets::write(std::uint8_t*) const;
template void ValueBuckets::write(std::uint16_t*) const;

}  // namespace mf
