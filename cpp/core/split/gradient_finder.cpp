#include "split/gradient_finder.hpp"

#include <algorithm>
#include <limits>

namespace mf::train {
namespace {

// Nodes of at most so many rows try all thresholds.
constexpr std::size_t kExactRows = 128;

// Integers have at most 2^6 bins. More bins take longer, and the next trees correct what a
// threshold between two others would have gained.
constexpr int kBinBits = 6;

}  // namespace

std::size_t GradientFinder::lanes_for(std::size_t n_gradients) {
  std::size_t stride = 4;
  while (stride < n_gradients + 2) stride *= 2;
  return stride;
}

float GradientFinder::scale_for(float largest) {
  return largest > 0.0F ? static_cast<float>(kLargest - 1) / largest : 0.0F;
}

GradientFinder::GradientFinder(const Derivatives& derivatives, double l2, const SplitRules& rules,
                               SplitterKind splitter, std::unique_ptr<SplitFinder> general)
    : derivatives_(derivatives),
      l2_(l2),
      rules_(rules),
      splitter_(splitter),
      general_(std::move(general)),
      stride_(lanes_for(derivatives.n_searched)),
      nothing_(stride_, 0.0) {}

bool GradientFinder::has_room(const NodeSample& node) const {
  if (splitter_ == SplitterKind::exact || splitter_ == SplitterKind::random) return false;
  if (derivatives_.n_searched > kMaxGradients || node.min_child_weight > 0.0) return false;
  return std::all_of(node.count.begin(), node.count.end(),
                     [](std::int32_t count) { return count <= kLargest; });
}

void GradientFinder::start_node(const NodeSample& node) {
  node_ = &node;
  fast_ = has_room(node);
  if (!fast_) {
    general_->start_node(node);
    return;
  }
  quantise(node);
}

void GradientFinder::quantise(const NodeSample& node) {
  const std::size_t m = node.rows.size(), width = derivatives_.searched_width();
  gathered_.resize(m * width);
  float largest_hessian = 0.0F;
  const float largest =
      kernels().gather_gradients(derivatives_.searched, width, node.rows.data(), node.weight.data(),
                                 m, gathered_.data(), &largest_hessian);
  const float gradient_scale = scale_for(largest), hessian_scale = scale_for(largest_hessian);
  // Numbers near the ends of the range of floats have no scale: the general search has room.
  pure_ = largest == 0.0F || all_equal();
  if (!(gradient_scale < kMostScale && hessian_scale < kMostScale)) {
    fast_ = false;
    general_->start_node(node);
    return;
  }
  rows_.resize(m * stride_);
  totals_.assign(stride_, 0.0);
  kernels().quantise_gradients(gathered_.data(), width, node.count.data(), m, gradient_scale,
                               hessian_scale, stride_, rows_.data(), totals_.data());
  const auto gradient = static_cast<double>(gradient_scale);
  const double hessian = hessian_scale > 0.0F ? static_cast<double>(hessian_scale) : 1.0;
  cut_rules_.n_gradients = derivatives_.n_searched;
  cut_rules_.min_child = static_cast<double>(rules_.min_child(node.total_count));
  cut_rules_.l2 = l2_ * hessian;
  cut_rules_.score_unit = gradient > 0.0 ? hessian / gradient / gradient : 0.0;
  double squares = 0.0;
  for (std::size_t k = 0; k < cut_rules_.n_gradients; ++k) squares += totals_[k] * totals_[k];
  const double divisor = totals_[cut_rules_.n_gradients] + cut_rules_.l2;
  node_score_ = divisor > 0.0 ? cut_rules_.score_unit * (squares / divisor) : 0.0;
  // A gradient of the largest size in every row.
  const double reach = static_cast<double>(m) * kLargest;
  cut_rules_.tolerance =
      divisor > 0.0 ? kScoreNoise * cut_rules_.score_unit * (reach * reach / divisor) : 0.0;
}

// Whether all rows have the same derivatives: then no split can gain anything.
bool GradientFinder::all_equal() const {
  const std::size_t width = derivatives_.searched_width();
  for (std::size_t i = width; i < gathered_.size(); i += width)
    if (!std::equal(gathered_.begin(), gathered_.begin() + static_cast<std::ptrdiff_t>(width),
                    gathered_.begin() + static_cast<std::ptrdiff_t>(i)))
      return false;
  return true;
}

void GradientFinder::start_column(const Column& column) {
  if (!fast_) {
    general_->start_column(column);
    return;
  }
  range_ = column.range;
  distinct_ = column.size() <= kExactRows;
  if (distinct_)
    bin_distinct(column);
  else
    bin_rows(column);
  sum_bins();
}

void GradientFinder::bin_rows(const Column& column) {
  key_bins_.build(column, kBinBits);
  bins_ = key_bins_.bins();
  n_bins_ = key_bins_.size();
  if (range_.n_missing > 0) place_missing(column.keys);
}

void GradientFinder::bin_distinct(const Column& column) {
  const std::span<const Key> keys = keys_of(column, widened_);
  own_bins_.assign(keys.size(), 0);
  distinct_keys_.clear();
  for (const std::uint64_t packed : order_.sort(keys, range_)) {
    const Key key = range_.min + KeyOrder::key(packed);
    if (distinct_keys_.empty() || distinct_keys_.back() != key) distinct_keys_.push_back(key);
    own_bins_[KeyOrder::position(packed)] = static_cast<std::uint8_t>(distinct_keys_.size() - 1);
  }
  bins_ = own_bins_.data();
  n_bins_ = distinct_keys_.size();
  if (range_.n_missing > 0) place_missing(keys);
}

// Missing rows get the bin after all others.
void GradientFinder::place_missing(std::span<const Key> keys) {
  if (!distinct_) own_bins_.assign(bins_, bins_ + keys.size());
  bins_ = own_bins_.data();
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == kMissing) own_bins_[i] = static_cast<std::uint8_t>(n_bins_);
}

void GradientFinder::sum_bins() {
  const std::size_t size = (n_bins_ + 1) * stride_, m = node_->rows.size();
  sums_.assign(size, 0.0);
  for (std::size_t begin = 0; begin < m; begin += kSummedRows) {
    part_sums_.assign(size, 0);
    kernels().add_gradients(bins_ + begin, rows_.data() + begin * stride_,
                            std::min(kSummedRows, m - begin), stride_, part_sums_.data());
    for (std::size_t s = 0; s < size; ++s) sums_[s] += static_cast<double>(part_sums_[s]);
  }
}

// Nothing of a decision takes long once the bins are summed.
void GradientFinder::anticipate() {
  if (!fast_) general_->anticipate();
}

std::optional<Split> GradientFinder::decide(double gain_to_beat, Rng& rng) {
  if (!fast_) return general_->decide(gain_to_beat, rng);
  best_.reset();
  // A split that is worse than none is none, but one without gain may lead to others.
  cut_rules_.score_to_beat =
      std::max(node_score_ + gain_to_beat, node_score_ - 2.0 * cut_rules_.tolerance);
  try_cuts(false);
  if (range_.n_missing > 0) try_cuts(true);
  return best_;
}

void GradientFinder::try_cuts(bool missing_left) {
  const double* left = missing_left ? &sums_[n_bins_ * stride_] : nothing_.data();
  const BinCut cut =
      kernels().cut_gradients(sums_.data(), n_bins_, stride_, left, totals_.data(), cut_rules_);
  if (!cut.found) return;
  cut_rules_.score_to_beat = cut.score;
  const double gain = gain_of(cut.score, node_score_, cut_rules_.tolerance);
  if (cut.first_right == n_bins_) {  // all values go left, missing ones right
    best_ = Split{std::numeric_limits<double>::infinity(), range_.max, false, gain};
    return;
  }
  const auto [below, above] = around(cut);
  best_ = Split{midpoint(range_, below, above), below, missing_left, gain};
}

std::pair<Key, Key> GradientFinder::around(const BinCut& cut) const {
  if (distinct_) return {distinct_keys_[cut.last_left], distinct_keys_[cut.first_right]};
  return key_bins_.around_cut(cut.last_left, cut.first_right);
}

}  // namespace mf::train
