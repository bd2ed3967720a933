#include "split/regression_finder.hpp"

#include <algorithm>
#include <limits>

#include "split/block_ranks.hpp"
#include "split/centred.hpp"

namespace mf::train {
namespace {

// Products of weights, and their quotients, neither overflow nor vanish in between.
constexpr double kSmallestWeight = 1e-100, kLargestWeight = 1e100;

constexpr std::size_t kMaxDividedOutputs = 5;  // as kMaxDivided, of several outputs

// Fewer bytes than this are sorted: bins would have to be cleared and read.
constexpr std::size_t kMinBinnedRows = 64;

std::size_t response_lanes(std::size_t n_outputs) {
  return n_outputs == 1 ? 2 : (n_outputs + 1 + 3) / 4 * 4;
}

}  // namespace

RegressionFinder::RegressionFinder(std::size_t n_outputs, const SplitRules& rules,
                                   SplitterKind splitter, std::unique_ptr<SplitFinder> general)
    : n_outputs_(n_outputs),
      stride_(response_lanes(n_outputs)),
      rules_(rules),
      splitter_(splitter),
      general_(std::move(general)),
      centre_(n_outputs),
      wide_(stride_) {
  if (!takes_ranks()) return;
  positions_.resize(BlockRanks::kMaxRows);
  slots_.resize(BlockRanks::kMaxRows);
  marks_.assign(BlockRanks::kMaxRows / 64, 0);
  order_ = {positions_.data(), marks_.data(), slots_.data()};
}

void RegressionFinder::start_node(const NodeSample& node) {
  node_ = &node;
  general_started_ = false;
  kernels_ = &kernels();
  fast_ = has_room(node);
  if (!fast_) {
    general_->start_node(node);
    general_started_ = true;
    return;
  }
  n_rows_ = node.size();
  weight_ = node.total_weight;
  if (n_outputs_ == 1)
    centre_one(node);
  else
    centre(node);
  tolerance_ = kScoreNoise * loss_;
  largest_ = loss_;
  if (pure_) return;
  if (n_outputs_ == 1 && n_rows_ <= kMaxDivided)
    largest_ = best_division(node.values.data(), node.weight.data(), n_rows_, weight_, row_step(),
                             rows_.data());
  if (n_outputs_ > 1 && n_rows_ <= kMaxDividedOutputs) largest_ = best_division_of_outputs();
}

double RegressionFinder::score_of(double squares, double left) const {
  const double right = weight_ - left;
  return left >= least_ && right >= least_ ? squares * (weight_ / (left * right)) : kNoSplitYet;
}

// As best_division(). Of several outputs it may be any: all sets of rows that leave out the last
// one are tried.
double RegressionFinder::best_division_of_outputs() {
  double best = kNoSplitYet;
  for (std::size_t set = 1; set < std::size_t{1} << (n_rows_ - 1); ++set) {
    std::fill(wide_.begin(), wide_.end(), 0.0);
    for (std::size_t i = 0; i + 1 < n_rows_; ++i)
      if ((set >> i & 1) != 0)
        for (std::size_t k = 0; k < stride_; ++k) wide_[k] += rows_[i * stride_ + k];
    double squares = 0.0;
    for (std::size_t o = 0; o < n_outputs_; ++o) squares += wide_[o] * wide_[o];
    best = std::max(best, score_of(squares, wide_[stride_ - 1]));
  }
  return best;
}

// Sets the smallest weight of a child, too.
bool RegressionFinder::has_room(const NodeSample& node) {
  if (!(node.total_weight > kSmallestWeight && node.total_weight < kLargestWeight)) return false;
  const std::int64_t min_child = rules_.min_child(node.total_count);
  bool counted = true;  // rows weigh as much as they count
  unit_weights_ =
      !node.weights_are_counts || node.total_count == static_cast<std::int64_t>(node.size());
  for (std::size_t i = 0; i < node.size() && !node.weights_are_counts; ++i) {
    counted = counted && node.weight[i] == static_cast<double>(node.count[i]);
    unit_weights_ = unit_weights_ && node.weight[i] == 1.0;
  }
  least_ = std::max(up_to_rounding(node.min_child_weight), std::numeric_limits<double>::min());
  if (counted) least_ = std::max(least_, static_cast<double>(min_child));
  return counted || min_child == 1;
}

void RegressionFinder::centre_one(const NodeSample& node) {
  const std::size_t n = node.size() * row_step();
  if (rows_.size() < n) rows_.resize(n);  // never shrinks: growing writes zeros
  const Centred centred = centre_responses(node.values.data(), node.weight.data(), node.size(),
                                           node.total_weight, row_step(), rows_.data());
  loss_ = centred.loss;
  pure_ = centred.pure;
}

void RegressionFinder::centre(const NodeSample& node) {
  const std::size_t m = node.size();
  const double* const base = node.values.data();
  std::fill(centre_.begin(), centre_.end(), 0.0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t o = 0; o < n_outputs_; ++o)
      centre_[o] += node.weight[i] * (node.values[i * n_outputs_ + o] - base[o]);
  for (double& mean : centre_) mean /= node.total_weight;
  rows_.assign(m * stride_, 0.0);
  std::fill(wide_.begin(), wide_.end(), 0.0);
  pure_ = true;
  for (std::size_t i = 0; i < m; ++i) {
    double* const row = &rows_[i * stride_];
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      const double value = node.values[i * n_outputs_ + o];
      const double centred = (value - base[o]) - centre_[o];
      row[o] = node.weight[i] * centred;
      wide_[o] += row[o] * centred;
      pure_ = pure_ && value == base[o];
    }
    row[stride_ - 1] = node.weight[i];
  }
  loss_ = 0.0;
  for (std::size_t o = 0; o < n_outputs_; ++o) loss_ += wide_[o];
}

RegressionFinder::Way RegressionFinder::choose_way(const Column& column) const {
  const KeyRange& range = column.range;
  if (!fast_ || range.n_missing > 0) return Way::general;
  if (splitter_ == SplitterKind::random) return Way::one;
  if (column.is_ranked()) return Way::ranks;
  const std::size_t m = column.size();
  const bool lossless = KeyBins::lossless(range) && m > kMinBinnedRows;
  const bool large = (splitter_ == SplitterKind::automatic && m > kSortedRows) ||
                     (splitter_ == SplitterKind::histogram && m > KeyBins::kMaxBins);
  return lossless || large ? Way::bins : Way::sort;
}

void RegressionFinder::start_general(const Column& column) {
  if (!general_started_) general_->start_node(*node_);
  general_started_ = true;
  Column plain = column;
  if (column.is_ranked()) {
    plain.keys = keys_of(column, widened_);
    plain.ranks = {};
  }
  general_->start_column(plain);
}

void RegressionFinder::make_room(std::size_t n_cuts) {
  if (ends_.size() >= n_cuts) return;
  squares_.resize(n_cuts + Kernels::kScoresAtOnce);
  left_.resize(n_cuts + Kernels::kScoresAtOnce);
  scores_.resize(n_cuts + Kernels::kScoresAtOnce);
  ends_.resize(n_cuts);
  cuts_ = {squares_.data(), left_.data(), ends_.data(), wide_.data()};
}

void RegressionFinder::start_column(const Column& column) {
  column_ = column;
  way_ = choose_way(column);
  const Kernels& k = *kernels_;
  std::size_t n_groups = 0;
  switch (way_) {
    case Way::general:
      return start_general(column);
    case Way::one:
      column_.keys = keys_of(column, widened_);
      return;
    case Way::ranks:
      make_room(column.size());
      k.order_ranks(column.ranks.data(), column.size(), order_);
      k.sum_ranked(rows(), column.ranks.data(), order_,
                   column.sorted.has_ties ? column.sorted.keys.data() : nullptr, cuts_);
      n_groups = column.size();
      break;
    case Way::bins:
      n_groups = cut_bins(column);
      break;
    case Way::sort: {
      make_room(column.size());
      const std::span<const Key> keys = keys_of(column, widened_);
      sorted_.resize(keys.size());
      for (std::size_t i = 0; i < keys.size(); ++i)
        sorted_[i] = PackedSort::pack(keys[i] - column.range.min, static_cast<std::uint32_t>(i));
      sort_.sort(sorted_, column.range);
      n_groups = k.sum_sorted(rows(), sorted_.data(), cuts_);
      break;
    }
  }
  n_cuts_ = n_groups - 1;
  best_ = k.score_cuts(squares_.data(), left_.data(), n_cuts_, weight_, least_, scores_.data());
}

std::size_t RegressionFinder::cut_bins(const Column& column) {
  const Kernels& k = *kernels_;
  make_room(KeyBins::kMaxBins);
  bins_.build(column);
  bin_sums_.assign(bins_.size() * stride_, 0.0);
  k.add_responses(rows(), bins_.bins(), bin_sums_.data());
  occupied_.clear();
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    const double* const bin = &bin_sums_[b * stride_];
    if (bin[stride_ - 1] == 0.0) continue;
    std::copy_n(bin, stride_, &bin_sums_[occupied_.size() * stride_]);
    occupied_.push_back(static_cast<std::uint8_t>(b));
  }
  return k.sum_bins({bin_sums_.data(), occupied_.size(), stride_}, cuts_);
}

void RegressionFinder::anticipate() {
  if (way_ == Way::general) general_->anticipate();
}

std::optional<Split> RegressionFinder::decide(double gain_to_beat, Rng& rng) {
  if (way_ == Way::general) return general_->decide(gain_to_beat, rng);
  if (way_ == Way::one) try_one(draw_threshold(column_.range, rng));
  if (!(best_ > gain_to_beat * n_outputs() + tolerance_)) return std::nullopt;
  Split split;
  std::pair<Key, Key> keys{one_, one_};
  if (way_ != Way::one) {
    const auto first = std::find_if(scores_.begin(), scores_.end(),
                                    [&](double score) { return score >= best_ - tolerance_; });
    keys = around(static_cast<std::size_t>(first - scores_.begin()));
    best_ = *first;
  }
  split.threshold = midpoint(column_.range, keys.first, keys.second);
  split.last_left = keys.first;
  split.gain = gain_of(best_, 0.0, tolerance_) / n_outputs();
  split.perfect = best_ >= largest_ - tolerance_;
  return split;
}

void RegressionFinder::try_one(Key last_left) {
  const Kernels& k = *kernels_;
  const Key* const keys = column_.keys.data();
  one_ = last_left;
  double squares = 0.0, left = 0.0;
  if (n_outputs_ == 1) {
    const SideSum side = k.sum_left(keys, n_rows_, one_, rows_.data());
    squares = side.sum * side.sum;
    left = unit_weights_ ? static_cast<double>(side.count)
                         : k.sum_left(keys, n_rows_, one_, node_->weight.data()).sum;
  } else {  // of either side: their sums differ by the sign alone
    k.sum_side_rows(rows(), keys, one_, wide_.data());
    left = wide_[stride_ - 1];
    for (std::size_t o = 0; o < n_outputs_; ++o) squares += wide_[o] * wide_[o];
  }
  best_ = score_of(squares, left);
}

Key RegressionFinder::key_at(std::size_t place) const {
  if (way_ == Way::ranks) return column_.sorted.keys[column_.ranks[positions_[place]]];
  return column_.range.min + PackedSort::key(sorted_[place]);
}

std::pair<Key, Key> RegressionFinder::around(std::size_t cut) const {
  if (way_ == Way::bins) return bins_.around_cut(occupied_[cut], occupied_[cut + 1]);
  const std::size_t end = way_ == Way::ranks ? cut : ends_[cut];
  return {key_at(end), key_at(end + 1)};
}

}  // namespace mf::train
