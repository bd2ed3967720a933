#include "split/distance_finder.hpp"

#include <algorithm>
#include <limits>

#include "split/kernels/kernels.hpp"

namespace mf {
namespace {

// Sums of single-precision numbers differ by about this share when they are added in another order.
constexpr double kDistanceNoise = 1e-6;

// A subtree of at most this many rows gets a block: 4 MB.
constexpr std::size_t kBlockRows = 1024;

// Up to this many rows, it is faster to add whole rows of distances in the order of each column
// than to look for the numbers of lower rank in all columns at once.
constexpr std::size_t kWalkedRows = 128;

// Coordinates are faster than distances in nodes with this many times as many rows as coordinates.
constexpr std::size_t kRowsPerCoordinate = 4;

constexpr std::size_t kVector = 16;  // numbers in a vector of the kernels

// Number by number: instructions that gather are slower on many machines, and this file is compiled
// without them.
void gather(const float* from, const std::int32_t* columns, std::size_t n, float* to) {
  for (std::size_t j = 0; j < n; ++j) to[j] = from[columns[j]];
}

std::size_t whole_vectors(std::size_t n) { return (n + kVector - 1) / kVector * kVector; }

}  // namespace

DistanceFinder::DistanceFinder(const Response& response, const SplitRules& rules,
                               SplitterKind splitter, std::unique_ptr<SplitFinder> points)
    : response_(response),
      rules_(rules),
      splitter_(splitter),
      points_(std::move(points)),
      place_(response.n_rows, -1) {}

void DistanceFinder::start_node(const NodeSample& node) {
  node_ = &node;
  n_kept_ = 0;
  // One coordinate without signs is no embedding: it only serves MeanDifference.
  by_points_ = !response_.signs.empty() && node.size() > kRowsPerCoordinate * response_.n_outputs;
  if (by_points_) {
    points_->start_node(node);
    return;
  }
  min_child_ = rules_.min_child(node.total_count);
  enter_block();
  const std::size_t n = node.size();
  padded_ = whole_vectors(n);
  weight_.assign(padded_, 0.0F);
  for (std::size_t i = 0; i < n; ++i) weight_[i] = static_cast<float>(node.weight[i]);
  columns_.assign(padded_, 0);
  for (std::size_t i = 0; i < n; ++i)
    columns_[i] =
        block_rows_.empty() ? node.rows[i] : place_[static_cast<std::size_t>(node.rows[i])];
  from_ = block_rows_.empty() ? response_.squared_distances : block_.data();
  from_stride_ = block_rows_.empty() ? response_.n_rows : block_stride_;
  pure_ = all_equal();
}

// Subtrees follow one another in any order; a node is in the block if all of its rows are.
void DistanceFinder::enter_block() {
  const auto in_block = [&](Row row) { return place_[static_cast<std::size_t>(row)] >= 0; };
  if (!block_rows_.empty() && std::all_of(node_->rows.begin(), node_->rows.end(), in_block)) return;
  for (const Row row : block_rows_) place_[static_cast<std::size_t>(row)] = -1;
  block_rows_.clear();
  // a block as large as what it is copied from would save nothing
  if (node_->size() <= std::min(kBlockRows, response_.n_rows / 2)) fill_block();
}

void DistanceFinder::fill_block() {
  const std::size_t n = node_->size();
  block_stride_ = whole_vectors(n);
  block_rows_.assign(node_->rows.begin(), node_->rows.end());
  block_.resize(n * block_stride_);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(block_rows_[i]);
    place_[row] = static_cast<std::int32_t>(i);
    gather(response_.squared_distances + row * response_.n_rows, block_rows_.data(), n,
           &block_[i * block_stride_]);
    std::fill_n(&block_[i * block_stride_ + n], block_stride_ - n, 0.0F);
  }
}

bool DistanceFinder::all_equal() const {
  for (std::size_t i = 0; i < node_->size(); ++i) {
    const float* from = from_ + static_cast<std::size_t>(columns_[i]) * from_stride_;
    for (std::size_t j = 0; j < node_->size(); ++j)
      if (from[columns_[j]] > 0.0F) return false;
  }
  return true;
}

std::optional<Split> DistanceFinder::find(const Column& column, double gain_to_beat, Rng& rng) {
  if (by_points_) return points_->find(column, gain_to_beat, rng);
  keep(0, column, rng);
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
  Order& order = kept_[n_kept_++];  // with the room that it had for an earlier node
  order.candidate = candidate;
  order.range = range;
  order.missing_left = missing_left;
  order.one = one;
  order.rows.resize(keys_.size());
  order.keys.resize(keys_.size());
  std::size_t place = 0;
  auto push = [&](std::uint32_t row) {
    order.rows[place] = row;
    order.keys[place++] = keys_[row];
  };
  auto push_missing = [&] {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (keys_[i] == kMissing) push(static_cast<std::uint32_t>(i));
  };
  if (missing_left) push_missing();
  for (const std::uint64_t packed : order_.sort(keys_, range)) push(KeyOrder::position(packed));
  if (!missing_left && range.n_missing > 0) push_missing();
}

std::optional<Split> DistanceFinder::find_kept(double gain_to_beat) {
  if (n_kept_ == 0) return std::nullopt;
  sum_pairs();
  Best best{gain_to_beat, std::nullopt};
  for (std::size_t f = 0; f < n_kept_; ++f) scan(kept_[f], &lower_[f * padded_], best);
  n_kept_ = 0;
  if (best.split) best.split->gain = best.gain;
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

// The distances of one row of the node to all; those that fill up the last vector are any numbers.
const float* DistanceFinder::row_of(std::size_t i, float* room) const {
  const float* from = from_ + static_cast<std::size_t>(columns_[i]) * from_stride_;
  if (node_->size() == block_rows_.size()) return from;  // in the order of the block, too
  gather(from, columns_.data(), padded_, room);
  return room;
}

void DistanceFinder::sum_walking() {
  const std::size_t n = node_->size();
  tile_.resize(n * padded_);
  for (std::size_t i = 0; i < n; ++i) {
    const float* row = row_of(i, &tile_[i * padded_]);
    if (row != &tile_[i * padded_]) std::copy_n(row, padded_, &tile_[i * padded_]);
  }
  for (std::size_t f = 0; f < n_kept_; ++f)
    kernels().walk_sums(tile_.data(), n, padded_, kept_[f].rows.data(), node_->weight.data(),
                        row_sums_.data(), &lower_[f * padded_]);
}

void DistanceFinder::sum_by_ranks() {
  const std::size_t n = node_->size();
  // Rows that only fill up the last vector have weight 0 and rank above all.
  ranks_.assign(n_kept_ * padded_, std::numeric_limits<std::int32_t>::max());
  for (std::size_t f = 0; f < n_kept_; ++f)
    for (std::size_t k = 0; k < n; ++k)
      ranks_[f * padded_ + kept_[f].rows[k]] = static_cast<std::int32_t>(k);
  tile_.resize(Kernels::kRowsAtOnce * padded_);
  const Kernels& kernel = kernels();
  for (std::size_t first = 0; first < n; first += Kernels::kRowsAtOnce) {
    const std::size_t n_rows = std::min(Kernels::kRowsAtOnce, n - first);
    for (std::size_t t = 0; t < n_rows; ++t) {
      float* row = &tile_[t * padded_];
      row_sums_[first + t] = kernel.weigh_row(row_of(first + t, row), weight_.data(), padded_, row);
    }
    kernel.lower_sums(tile_.data(), n_rows, padded_, first, ranks_.data(), n_kept_, lower_.data(),
                      padded_);
  }
}

// Pairs on the left are added from the first row on, those on the right from the last: differences
// of large sums would leave nothing of small ones.
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
    if (order.keys[k] != order.keys[k - 1]) consider(order, k, best);
  if (!order.missing_left && n_missing > 0) consider(order, end, best);
}

void DistanceFinder::consider(const Order& order, std::size_t n_left, Best& best) const {
  const std::int64_t left = left_count_[n_left], right = left_count_.back() - left;
  if (left < min_child_ || right < min_child_) return;
  const double loss = left_pairs_[n_left] / (2.0 * left_weight_[n_left]) +
                      right_pairs_[n_left] / (2.0 * (left_weight_.back() - left_weight_[n_left]));
  const double gain = node_loss_ - loss;
  if (!(gain > best.gain + kDistanceNoise * node_loss_)) return;
  best.gain = gain;
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
  } else {  // all that are present left, also those to come that are larger than any seen
    split.threshold = std::numeric_limits<double>::infinity();
    split.last_left = order.range.max;
  }
  best.split = split;
}

}  // namespace mf
