#include "split/gini_finder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/prefetch.hpp"

namespace mf::train {
namespace {

constexpr std::size_t kMaxStride = 32;
constexpr std::size_t kNarrowStride = 16;
constexpr std::uint32_t kNarrowWeight = 1U << 15;  // weights below it have narrow counts

// Up to so many classes comparing a row with each is faster than a look at which one it has.
constexpr std::size_t kMostCompared = 8;

// W I of one side, see split/kernels/cuts.inc. Weights are below 2^31, so that squares fit 64 bits.
double gini_loss(std::uint64_t weight, std::uint64_t squares) {
  return static_cast<double>(weight * weight - squares) / static_cast<double>(weight);
}

// Places per bin: a power of two, so that a bin is whole vectors.
std::size_t stride_for(std::size_t n_classes) {
  return std::max<std::size_t>(8, std::bit_ceil(n_classes));
}

}  // namespace

GiniFinder::GiniFinder(const SplitRules& rules, SplitterKind splitter,
                       std::unique_ptr<SplitFinder> general)
    : rules_(rules), splitter_(splitter), general_(std::move(general)) {
  static_assert(kMaxStride == kMaxClasses);
  counts_.assign(KeyBins::kMaxBins * kMaxStride, 0);  // cuts leave them zero
  narrow_counts_.assign(KeyBins::kMaxBins * kNarrowStride, 0);
  pair_counts_.assign(KeyBins::kMaxBins, 0);
  left_.assign(kMaxStride, 0);
}

void GiniFinder::start_node(const NodeSample& node) {
  node_ = &node;
  general_started_ = false;
  fast_ = !node.class_counts.empty();
  if (!fast_) {
    general();
    return;
  }
  place_classes(node);
  node_weight_ = static_cast<std::uint32_t>(node.total_count);
  std::uint64_t squares = 0;
  for (const std::uint32_t t : totals_) squares += std::uint64_t{t} * t;
  node_score_ = -gini_loss(node_weight_, squares);
  cut_rules_.tolerance = kScoreNoise * -node_score_;
  // Here a row weighs as much as it counts.
  const auto min_weight =
      static_cast<std::int64_t>(std::ceil(up_to_rounding(node.min_child_weight)));
  const std::int64_t min_child = std::max(rules_.min_child(node.total_count), min_weight);
  cut_rules_.min_child = static_cast<std::uint32_t>(std::min(min_child, node.total_count));
  if (totals_.size() < 2) return;
  if (paired()) fill_pairs();
  const bool small = node.size() <= ClassPlanes::kWordRows;
  if (!paired() && (small || splitter_ == SplitterKind::random)) fill_planes();
}

void GiniFinder::place_classes(const NodeSample& node) {
  std::array<std::uint32_t, kMaxClasses> place{};
  totals_.clear();
  for (std::size_t k = 0; k < node.class_counts.size(); ++k) {
    if (node.class_counts[k] == 0) continue;
    place[k] = static_cast<std::uint32_t>(totals_.size());
    totals_.push_back(node.class_counts[k]);
  }
  rows_ = node.packed;
  if (totals_.size() < node.class_counts.size()) {
    forget_larger(placed_, node.size());
    placed_.resize(node.size());
    for (std::size_t i = 0; i < node.size(); ++i)
      placed_[i] = (node.packed[i] & ~std::uint32_t{0xff}) | place[node.packed[i] & 0xff];
    rows_ = placed_;
  }
  stride_ = stride_for(totals_.size());
  padded_totals_ = totals_;
  padded_totals_.resize(stride_, 0);
}

void GiniFinder::fill_planes() {
  planes_.n_rows = rows_.size();
  planes_.n_classes = totals_.size();
  planes_.totals = totals_;
  std::uint32_t bits = 0;
  for (const std::uint32_t row : rows_) bits |= row >> 8;
  planes_.n_bits = static_cast<std::size_t>(std::bit_width(bits));
  const std::size_t n_words =
      (planes_.n_rows + ClassPlanes::kWordRows - 1) / ClassPlanes::kWordRows;
  planes_.words.assign(n_words * planes_.per_word(), 0);
  std::size_t n_done = 0;
  if (planes_.n_bits == 1 && planes_.n_classes <= kMostCompared)
    n_done = kernels().fill_planes(rows_.data(), rows_.size(), planes_);
  for (std::size_t i = n_done; i < rows_.size(); ++i) {
    std::uint64_t* plane = &planes_.words[i / ClassPlanes::kWordRows * planes_.per_word() +
                                          (rows_[i] & 0xff) * planes_.n_bits];
    const std::size_t place = i % ClassPlanes::kWordRows;
    for (std::size_t b = 0; b < planes_.n_bits; ++b)
      plane[b] |= std::uint64_t{rows_[i] >> (8 + b) & 1} << place;
  }
}

void GiniFinder::fill_pairs() {
  forget_larger(pairs_, rows_.size());
  pairs_.resize(rows_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    pairs_[i] = rows_[i] >> 8 | ((rows_[i] >> 8) & (~(rows_[i] & 1) + 1)) << 16;  // no product
  total_pair_ = node_weight_ | totals_[1] << 16;
}

SplitFinder& GiniFinder::general() {
  if (!general_started_) general_->start_node(*node_);
  general_started_ = true;
  return *general_;
}

GiniFinder::Way GiniFinder::choose_way(const Column& column) const {
  const KeyRange& range = column.range;
  if (!fast_ || range.n_missing > 0) return Way::general;
  if (splitter_ == SplitterKind::random) return Way::one;
  if (column.size() <= ClassPlanes::kWordRows) return Way::small;
  const bool binned =
      KeyBins::lossless(range) ||
      (splitter_ != SplitterKind::exact &&
       (range.integer || column.size() > kSortedRows || splitter_ == SplitterKind::histogram));
  return binned ? Way::bins : Way::sort;
}

// Floats whose order nothing tells before they are sorted or compared with quantiles.
bool GiniFinder::may_bin_by_width() const {
  return splitter_ != SplitterKind::exact && (way_ == Way::bins || way_ == Way::sort) &&
         !column_.range.integer;
}

void GiniFinder::start_column(const Column& column) {
  column_ = column;
  by_width_ = false;
  way_ = choose_way(column);
  if (may_bin_by_width() && width_bins_.build(column.keys, column.range)) {
    by_width_ = true;
    way_ = Way::bins;
  }
  switch (way_) {
    case Way::general:
      return general().start_column(column);
    case Way::bins:
      return count_bins();
    case Way::sort:
      return sort_rows();
    case Way::one:
    case Way::small:
      return;
  }
}

void GiniFinder::anticipate() {
  if (way_ == Way::general) general_->anticipate();
}

std::optional<Split> GiniFinder::decide(double gain_to_beat, Rng& rng) {
  cut_rules_.score_to_beat = node_score_ + gain_to_beat;
  switch (way_) {
    case Way::general:
      return general_->decide(gain_to_beat, rng);
    case Way::one:
      return try_one(draw_threshold(column_.range, rng));
    case Way::small:
      return cut_small();
    case Way::bins:
      return cut_bins();
    case Way::sort:
      return cut_sorted();
  }
  return std::nullopt;
}

std::optional<Split> GiniFinder::try_one(Key last_left) {
  const Kernels& k = kernels();
  if (paired()) {
    const std::uint32_t pair =
        column_.is_bytes()
            ? k.sum_byte_pairs(column_.bytes.data(), pairs_.data(), pairs_.size(),
                               static_cast<std::uint8_t>(integer_of(last_left)))
            : k.sum_pairs(column_.keys.data(), pairs_.data(), pairs_.size(), last_left);
    left_[0] = (pair & 0xffff) - (pair >> 16);
    left_[1] = pair >> 16;
  } else if (column_.is_bytes())
    k.weigh_bytes(column_.bytes.data(), planes_, static_cast<std::uint8_t>(integer_of(last_left)),
                  left_.data());
  else
    k.weigh_keys(column_.keys.data(), planes_, last_left, left_.data());
  std::uint64_t left_squares = 0, right_squares = 0, left_weight = 0;
  for (std::size_t c = 0; c < totals_.size(); ++c) {
    const std::uint64_t left = left_[c], right = totals_[c] - left_[c];
    left_weight += left;
    left_squares += left * left;
    right_squares += right * right;
  }
  const std::uint64_t right_weight = node_weight_ - left_weight;
  if (std::min(left_weight, right_weight) < cut_rules_.min_child) return std::nullopt;
  BinCut cut;
  cut.score = -gini_loss(left_weight, left_squares) - gini_loss(right_weight, right_squares);
  cut.found = cut.score > cut_rules_.score_to_beat + cut_rules_.tolerance;
  return to_split(cut, last_left, last_left);
}

std::optional<Split> GiniFinder::cut_small() {
  const Kernels& k = kernels();
  const std::uint32_t* pairs = pairs_.data();
  const std::size_t n = column_.size();
  BinCut cut;
  if (paired() && column_.is_bytes())
    cut = k.cut_small_pair_bytes(column_.bytes.data(), pairs, n, total_pair_, cut_rules_);
  else if (paired() && column_.is_codes())
    cut = k.cut_small_pair_codes(column_.codes.data(), pairs, n, total_pair_, cut_rules_);
  else if (paired())
    cut = k.cut_small_pairs(column_.keys.data(), pairs, n, total_pair_, cut_rules_);
  else if (column_.is_bytes())
    cut = k.cut_small_bytes(column_.bytes.data(), planes_, node_weight_, cut_rules_);
  else
    cut = k.cut_small(keys_of(column_, widened_).data(), planes_, node_weight_, cut_rules_);
  return to_split(cut, cut.last_left, cut.first_right);
}

// Counts of few bits where they suffice.
bool GiniFinder::narrow() const { return node_weight_ < kNarrowWeight && stride_ <= kNarrowStride; }

bool GiniFinder::paired() const { return totals_.size() == 2 && node_weight_ < kNarrowWeight; }

void GiniFinder::count_bins() {
  if (!by_width_) bins_.build(column_);
  const std::uint8_t* bin = by_width_ ? width_bins_.bins() : bins_.bins();
  const Kernels& k = kernels();
  if (paired() && !column_.is_bytes())
    k.count_pairs(bin, pairs_.data(), pairs_.size(), pair_counts_.data());
  else if (narrow())
    k.count_narrow(bin, rows_.data(), rows_.size(), narrow_counts_.data(), stride_,
                   occupied_.data(), n_bins(), by_width_ ? 0 : bins_.common(),
                   padded_totals_.data());
  else
    k.count(bin, rows_.data(), rows_.size(), counts_.data(), stride_, occupied_.data());
}

std::optional<Split> GiniFinder::cut_bins() {
  const Kernels& k = kernels();
  const BinCut cut = paired() && !column_.is_bytes()
                         ? k.cut_pairs(pair_counts_.data(), n_bins(), total_pair_, cut_rules_)
                     : narrow()
                         ? k.cut_narrow(narrow_counts_.data(), occupied_.data(), n_bins(), stride_,
                                        padded_totals_.data(), node_weight_, cut_rules_)
                         : k.cut_bins(counts_.data(), occupied_.data(), n_bins(), stride_,
                                      padded_totals_.data(), node_weight_, cut_rules_);
  if (!cut.found) return std::nullopt;
  const auto [below, above] = by_width_ ? width_bins_.around_cut(cut.last_left)
                                        : bins_.around_cut(cut.last_left, cut.first_right);
  return to_split(cut, below, above);
}

void GiniFinder::sort_rows() {
  const KeyRange& range = column_.range;
  sorted_.resize(column_.size());  // bytes are always counted, so there are keys
  for (std::size_t i = 0; i < sorted_.size(); ++i)
    sorted_[i] = PackedSort::pack(column_.keys[i] - range.min, rows_[i]);
  sort_.sort(sorted_, range);
}

std::optional<Split> GiniFinder::cut_sorted() {
  const BinCut cut = kernels().cut_sorted(sorted_.data(), sorted_.size(), totals_.size(),
                                          totals_.data(), node_weight_, cut_rules_);
  return to_split(cut, column_.range.min + cut.last_left, column_.range.min + cut.first_right);
}

std::optional<Split> GiniFinder::to_split(const BinCut& cut, Key below, Key above) {
  if (!cut.found) return std::nullopt;
  Split split;
  split.last_left = below;
  split.first_right = above;
  split.codes = column_.range.codes;
  if (split.codes == nullptr)
    split.threshold = midpoint(column_.range, below, above);
  else
    prefetch(&split.codes->last[below]);
  split.gain = gain_of(cut.score, node_score_, cut_rules_.tolerance);
  split.perfect = cut.score >= 0.0;
  return split;
}

}  // namespace mf::train
