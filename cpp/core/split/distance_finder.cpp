#include "split/distance_finder.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "split/kernels/kernels.hpp"

namespace mf::train {
namespace {

// Sums of single-precision numbers differ by about this share when they are added in another order.
constexpr double kDistanceNoise = 1e-6;

// Subtrees of at most so many rows get a block: 4 MB, and 16 KB.
constexpr std::size_t kLargeBlock = 1024, kSmallBlock = 64;

// Up to this many rows, it is faster to add whole rows of distances in the order of each column
// than to select the preceding rows for all columns at once.
constexpr std::size_t kWalkedRows = 64;

// Coordinates are faster than distances in nodes with this many times as many rows as coordinates.
constexpr std::size_t kRowsPerCoordinate = 4;

}  // namespace

DistanceFinder::DistanceFinder(const Target& target, const SplitRules& rules, SplitterKind splitter,
                               std::unique_ptr<SplitFinder> points)
    : target_(target),
      rules_(rules),
      splitter_(splitter),
      points_(std::move(points)),
      large_(target.n_rows),
      small_(target.n_rows) {}

void DistanceFinder::start_node(const NodeSample& node) {
  node_ = &node;
  n_kept_ = 0;
  by_points_ = points_ != nullptr && node.size() > kRowsPerCoordinate * target_.n_outputs;
  if (by_points_) {
    points_->start_node(node);
    return;
  }
  min_child_ = rules_.min_child(node.total_count);
  enter_blocks();
  const std::size_t n = node.size();
  padded_ = DistanceBlock::whole_vectors(n);
  weight_.assign(padded_, 0.0F);
  for (std::size_t i = 0; i < n; ++i) weight_[i] = static_cast<float>(node.weight[i]);
  columns_.assign(padded_, 0);
  for (std::size_t i = 0; i < n; ++i) columns_[i] = distances_.place_of(node.rows[i]);
  pure_ = all_equal();
}

void DistanceFinder::enter_blocks() {
  distances_ = {target_.squared_distances, target_.n_rows, nullptr};
  is_block_ = false;
  // a block as large as what it is copied from would save nothing
  std::size_t most = target_.n_rows / 2;
  for (auto [block, limit] : {std::pair{&large_, kLargeBlock}, std::pair{&small_, kSmallBlock}}) {
    if (!block->holds(node_->rows)) {
      if (node_->size() > std::min(most, limit)) return;
      block->fill(distances_, node_->rows);
    }
    distances_ = block->distances();
    is_block_ = block->size() == node_->size();
    most = block->size() / 2;
  }
}

bool DistanceFinder::all_equal() const {
  for (std::size_t i = 0; i < node_->size(); ++i) {
    const float* from = distances_.row(columns_[i]);
    for (std::size_t j = 0; j < node_->size(); ++j)
      if (from[columns_[j]] > 0.0F) return false;
  }
  return true;
}

double DistanceFinder::node_loss() const {
  if (by_points_) return points_->node_loss();
  double pairs = 0.0;
  for (std::size_t i = 0; i < node_->size(); ++i) {
    const float* from = distances_.row(columns_[i]);
    for (std::size_t j = 0; j < node_->size(); ++j)
      pairs += node_->weight[i] * node_->weight[j] * static_cast<double>(from[columns_[j]]);
  }
  return pairs / (2.0 * node_->total_weight);
}

void DistanceFinder::start_column(const Column& column) {
  column_ = column;
  if (by_points_) points_->start_column(column);
}

void DistanceFinder::anticipate() {
  if (by_points_) points_->anticipate();
}

std::optional<Split> DistanceFinder::decide(double gain_to_beat, Rng& rng) {
  if (by_points_) return points_->decide(gain_to_beat, rng);
  keep(0, column_, rng);
  return find_kept(gain_to_beat);
}

void DistanceFinder::keep(std::size_t candidate, const Column& column, Rng& rng) {
  keys_ = keys_of(column, widened_);
  const Key one = splitter_ == SplitterKind::random ? draw_threshold(column.range, rng) : 0;
  // Missing rows are tried on the right first, then on the left.
  keep_order(candidate, column.range, false, one);
  if (column.range.n_missing > 0) keep_order(candidate, column.range, true, one);
}

void DistanceFinder::keep_order(std::size_t candidate, const KeyRange& range, bool missing_left,
                                Key one) {
  if (n_kept_ == kept_.size()) kept_.emplace_back();
  Order& order = kept_[n_kept_++];  // reuses its memory
  order.candidate = candidate;
  order.range = range;
  order.missing_left = missing_left;
  order.one = one;
  order.rows.resize(keys_.size());
  order.keys.resize(keys_.size());
  if (range.n_missing == 0 && keys_.size() <= Kernels::kMostCounted)
    place_by_counting(order);
  else
    place_sorted(order);
}

// In few rows it is fastest to compare each with each. Equal keys keep the order of the rows.
void DistanceFinder::place_by_counting(Order& order) const {
  std::array<std::uint32_t, Kernels::kMostCounted> smaller;
  std::array<std::uint8_t, Kernels::kMostCounted> equal{};  // that were placed before
  kernels().count_smaller(keys_.data(), keys_.size(), smaller.data());
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const std::size_t place = smaller[i] + equal[smaller[i]]++;
    order.rows[place] = static_cast<std::uint32_t>(i);
    order.keys[place] = keys_[i];
  }
}

void DistanceFinder::place_sorted(Order& order) {
  std::size_t place = 0;
  auto push = [&](std::uint32_t row) {
    order.rows[place] = row;
    order.keys[place++] = keys_[row];
  };
  auto push_missing = [&] {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (keys_[i] == kMissing) push(static_cast<std::uint32_t>(i));
  };
  if (order.missing_left) push_missing();
  for (const std::uint64_t packed : order_.sort(keys_, order.range))
    push(KeyOrder::position(packed));
  if (!order.missing_left && order.range.n_missing > 0) push_missing();
}

std::optional<Split> DistanceFinder::find_kept(double gain_to_beat) {
  if (n_kept_ == 0) return std::nullopt;
  sum_pairs();
  Best best{gain_to_beat, std::nullopt};
  for (std::size_t f = 0; f < n_kept_; ++f) scan(kept_[f], &lower_[f * padded_], best);
  n_kept_ = 0;
  if (best.gain < -kDistanceNoise * node_loss_) best.split.reset();  // worse than none
  if (best.split) best.split->gain = gain_of(best.gain, 0.0, kDistanceNoise * node_loss_);
  return best.split;
}

void DistanceFinder::sum_pairs() {
  lower_.resize(n_kept_ * padded_);
  row_sums_.resize(padded_);
  if (node_->size() <= kWalkedRows)
    sum_walking();
  else
    sum_by_ranks();
  double pairs = 0.0;
  for (std::size_t i = 0; i < node_->size(); ++i) pairs += node_->weight[i] * row_sums_[i];
  node_loss_ = pairs / (2.0 * node_->total_weight);
}

// The distances of one row of the node to all, times weights of their own.
void DistanceFinder::weigh_row(std::size_t i, const float* weight, float* to) const {
  const float* from = distances_.row(columns_[i]);
  if (is_block_)
    for (std::size_t j = 0; j < padded_; ++j) to[j] = from[j] * weight[j];
  else
    for (std::size_t j = 0; j < padded_; ++j) to[j] = from[columns_[j]] * weight[j];
}

// Whole rows are added here, so that each has the weight of its own row.
void DistanceFinder::sum_walking() {
  const std::size_t n = node_->size();
  tile_.resize(n * padded_);
  own_weight_.resize(padded_);
  for (std::size_t i = 0; i < n; ++i) {
    std::fill(own_weight_.begin(), own_weight_.end(), weight_[i]);
    weigh_row(i, own_weight_.data(), &tile_[i * padded_]);
  }
  for (std::size_t f = 0; f < n_kept_; ++f)
    kernels().walk_sums(tile_.data(), n, padded_, kept_[f].rows.data(), row_sums_.data(),
                        &lower_[f * padded_]);
}

void DistanceFinder::sum_by_ranks() {
  const std::size_t n = node_->size();
  // Padding rows at the end have weight 0 and a position above all others.
  positions_.assign(n_kept_ * padded_, std::numeric_limits<std::int32_t>::max());
  for (std::size_t f = 0; f < n_kept_; ++f)
    for (std::size_t k = 0; k < n; ++k)
      positions_[f * padded_ + kept_[f].rows[k]] = static_cast<std::int32_t>(k);
  tile_.resize(Kernels::kRowsAtOnce * padded_);
  const Kernels& kernel = kernels();
  for (std::size_t first = 0; first < n; first += Kernels::kRowsAtOnce) {
    const std::size_t n_rows = std::min(Kernels::kRowsAtOnce, n - first);
    for (std::size_t t = 0; t < n_rows; ++t) {
      weigh_row(first + t, weight_.data(), &tile_[t * padded_]);
      row_sums_[first + t] = kernel.sum_row(&tile_[t * padded_], padded_);
    }
    kernel.lower_sums(tile_.data(), n_rows, padded_, first, positions_.data(), n_kept_,
                      lower_.data(), padded_);
  }
}

// Pairs on the left are added from the first row on, those on the right from the last: small sums
// would be lost in differences of large ones.
void DistanceFinder::scan(const Order& order, const double* lower, Best& best) {
  const std::size_t n = order.rows.size();
  left_pairs_.resize(n + 1);
  right_pairs_.resize(n + 1);
  left_weight_.resize(n + 1);
  left_count_.resize(n + 1);
  double pairs = 0.0, weight = 0.0;
  std::int64_t count = 0;
  for (std::size_t k = 0; k < n; ++k) {
    left_pairs_[k] = pairs;
    left_weight_[k] = weight;
    left_count_[k] = count;
    const std::size_t i = order.rows[k];
    pairs += 2.0 * node_->weight[i] * lower[i];
    weight += node_->weight[i];
    count += node_->count[i];
  }
  left_pairs_[n] = pairs;
  left_weight_[n] = weight;
  left_count_[n] = count;
  pairs = 0.0;
  for (std::size_t k = n; k-- > 0;) {
    const std::size_t i = order.rows[k];
    right_pairs_[k + 1] = pairs;
    pairs += 2.0 * node_->weight[i] * std::max(0.0, row_sums_[i] - lower[i]);
  }
  right_pairs_[0] = pairs;
  loss_.resize(n + 1);
  kernels().pair_losses(left_pairs_.data(), right_pairs_.data(), left_weight_.data(), weight, n + 1,
                        loss_.data());
  const std::size_t n_missing = order.range.n_missing;
  const std::size_t first = order.missing_left ? n_missing : 0;
  const std::size_t end = order.missing_left ? n : n - n_missing;  // of the rows that are present
  if (splitter_ == SplitterKind::random) {
    const auto cut =
        std::upper_bound(order.keys.begin() + static_cast<std::ptrdiff_t>(first),
                         order.keys.begin() + static_cast<std::ptrdiff_t>(end), order.one);
    consider(order, static_cast<std::size_t>(cut - order.keys.begin()), best);
    return;
  }
  for (std::size_t k = first + 1; k < end; ++k)
    if (is_better(k, best) && order.keys[k] != order.keys[k - 1]) consider(order, k, best);
  if (!order.missing_left && n_missing > 0) consider(order, end, best);
}

bool DistanceFinder::is_better(std::size_t n_left, const Best& best) const {
  return node_loss_ - loss_[n_left] > best.gain + kDistanceNoise * node_loss_;
}

void DistanceFinder::consider(const Order& order, std::size_t n_left, Best& best) const {
  const std::int64_t left = left_count_[n_left], right = left_count_.back() - left;
  if (left < min_child_ || right < min_child_) return;
  const double left_weight = left_weight_[n_left], right_weight = left_weight_.back() - left_weight;
  if (std::min(left_weight, right_weight) < up_to_rounding(node_->min_child_weight)) return;
  if (!is_better(n_left, best)) return;
  best.gain = node_loss_ - loss_[n_left];
  Split split;
  split.candidate = order.candidate;
  split.missing_left = order.missing_left;
  split.saw_missing = order.range.n_missing > 0;
  if (splitter_ == SplitterKind::random) {
    split.threshold = midpoint(order.range, order.one, order.one);
    split.last_left = order.one;
  } else if (n_left < order.keys.size() && order.keys[n_left] != kMissing) {
    split.threshold = midpoint(order.range, order.keys[n_left - 1], order.keys[n_left]);
    split.last_left = order.keys[n_left - 1];
  } else {  // all values left, also later ones that are larger than any here
    split.threshold = std::numeric_limits<double>::infinity();
    split.last_left = order.range.max;
  }
  best.split = split;
}

}  // namespace mf::train
