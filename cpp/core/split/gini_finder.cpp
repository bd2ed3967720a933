#include "split/gini_finder.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace mf {
namespace {

// Lanes per bin: a power of two, so that a bin is whole vectors.
std::size_t stride_for(std::size_t n_classes) {
  return std::max<std::size_t>(4, std::bit_ceil(n_classes));
}

}  // namespace

GiniFinder::GiniFinder(const Response& response, const SplitRules& rules, SplitterKind splitter,
                       std::unique_ptr<SplitFinder> general)
    : rules_(rules),
      splitter_(splitter),
      general_(std::move(general)),
      n_classes_(static_cast<std::size_t>(response.n_classes[0])),
      stride_(stride_for(n_classes_)) {}

void GiniFinder::start_node(const NodeSample& node) {
  node_ = &node;
  general_started_ = false;
  const std::size_t m = node.size();
  // Whole weights below 2^16 that are also what min_samples_leaf counts.
  fast_ = node.total_count < (std::int64_t{1} << 31);
  label_.resize(m);
  weight_.resize(m);
  totals_.assign(stride_, 0);
  for (std::size_t i = 0; i < m && fast_; ++i) {
    const std::int64_t count = node.count[i];
    fast_ = count < 65536 && node.weight[i] == static_cast<double>(count);
    label_[i] = static_cast<std::uint8_t>(node.labels[i]);
    weight_[i] = static_cast<std::uint16_t>(count);
    totals_[label_[i]] += weight_[i];
  }
  if (!fast_) {
    general();
    return;
  }
  double squares = 0.0;
  for (const std::uint32_t t : totals_) squares += static_cast<double>(t) * static_cast<double>(t);
  node_score_ = squares / node.total_weight;
  cut_rules_.tolerance = kScoreNoise * node.total_weight;
  cut_rules_.min_child = static_cast<std::uint32_t>(
      std::min<std::int64_t>(rules_.min_child(node.total_count), node.total_count));
  if (m <= SmallNode::kMaxRows) start_small();
}

void GiniFinder::start_small() {
  small_.n_rows = node_->size();
  small_.totals.clear();
  std::uint16_t all_bits = 0;
  for (const std::uint16_t w : weight_) all_bits |= w;
  small_.n_planes = static_cast<std::size_t>(std::bit_width(all_bits));
  std::array<std::int32_t, kMaxClasses> place{};
  small_.n_present = 0;
  for (std::size_t k = 0; k < n_classes_; ++k) {
    if (totals_[k] == 0) continue;
    place[k] = static_cast<std::int32_t>(small_.n_present++);
    small_.totals.push_back(totals_[k]);
  }
  small_.planes.assign(small_.n_present * small_.n_planes, 0);
  for (std::size_t i = 0; i < small_.n_rows; ++i)
    for (std::size_t b = 0; b < small_.n_planes; ++b)
      if ((weight_[i] >> b & 1) != 0)
        small_.planes[static_cast<std::size_t>(place[label_[i]]) * small_.n_planes + b] |=
            std::uint64_t{1} << i;
}

SplitFinder& GiniFinder::general() {
  if (!general_started_) general_->start_node(*node_);
  general_started_ = true;
  return *general_;
}

bool GiniFinder::pure() const {
  if (!fast_) return general_->pure();
  return std::count_if(totals_.begin(), totals_.end(), [](std::uint32_t t) { return t > 0; }) < 2;
}

std::optional<Split> GiniFinder::find(std::span<const Key> keys, const KeyRange& range,
                                      double gain_to_beat, Rng& rng) {
  const bool small = keys.size() <= SmallNode::kMaxRows;
  const bool binned =
      KeyBins::lossless(range) ||
      (splitter_ != SplitterKind::exact &&
       (range.integer || keys.size() > kSortedRows || splitter_ == SplitterKind::histogram));
  const bool one = splitter_ == SplitterKind::random;
  if (!fast_ || range.n_missing > 0 || !(one || small || binned))
    return general().find(keys, range, gain_to_beat, rng);
  cut_rules_.score_to_beat = node_score_ + gain_to_beat;
  if (one) return try_one(keys, range, draw_threshold(range, rng));
  return small ? find_small(keys, range) : find_in_bins(keys, range);
}

std::optional<Split> GiniFinder::try_one(std::span<const Key> keys, const KeyRange& range,
                                         Key last_left) {
  left_.assign(stride_, 0);
  for (std::size_t i = 0; i < keys.size(); ++i)
    left_[label_[i]] += keys[i] <= last_left ? weight_[i] : 0;
  double left_squares = 0.0, right_squares = 0.0, left_weight = 0.0;
  for (std::size_t k = 0; k < stride_; ++k) {
    const double left = left_[k], right = totals_[k] - left_[k];
    left_weight += left;
    left_squares += left * left;
    right_squares += right * right;
  }
  const double right_weight = node_->total_weight - left_weight;
  if (std::min(left_weight, right_weight) < cut_rules_.min_child) return std::nullopt;
  BinCut cut;
  cut.score = left_squares / left_weight + right_squares / right_weight;
  cut.found = cut.score > cut_rules_.score_to_beat + cut_rules_.tolerance;
  return to_split(cut, range, last_left, last_left);
}

std::optional<Split> GiniFinder::find_small(std::span<const Key> keys, const KeyRange& range) {
  const BinCut cut = kernels().cut_small(
      keys.data(), small_, static_cast<std::uint32_t>(node_->total_count), cut_rules_);
  return to_split(cut, range, cut.last_left, cut.first_right);
}

std::optional<Split> GiniFinder::find_in_bins(std::span<const Key> keys, const KeyRange& range) {
  bins_.build(keys, range);
  counts_.assign(bins_.size() * stride_, 0);
  occupied_.fill(0);
  kernels().count(bins_.bins(), label_.data(), weight_.data(), keys.size(), counts_.data(), stride_,
                  occupied_.data());
  const BinCut cut =
      kernels().cut_bins(counts_.data(), occupied_.data(), bins_.size(), stride_, totals_.data(),
                         static_cast<std::uint32_t>(node_->total_count), cut_rules_);
  if (!cut.found) return std::nullopt;
  const auto [below, above] = bins_.around_cut(cut.last_left, cut.first_right);
  return to_split(cut, range, below, above);
}

std::optional<Split> GiniFinder::to_split(const BinCut& cut, const KeyRange& range, Key below,
                                          Key above) {
  if (!cut.found) return std::nullopt;
  Split split;
  split.threshold = midpoint(range, below, above);
  split.last_left = below;
  split.gain = cut.score - node_score_;
  split.perfect = cut.score >= node_->total_weight;
  return split;
}

}  // namespace mf
