#include "split/finder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "split/criteria/list.hpp"
#include "split/order.hpp"

namespace mf {

std::int64_t SplitRules::min_child(std::int64_t node_count) const {
  // 0.07 * 100 is a little more than 7: a share is met up to rounding.
  const double share = min_balance * static_cast<double>(node_count) * (1.0 - 1e-12);
  const auto balanced = static_cast<std::int64_t>(std::ceil(share));
  return std::max({min_samples_leaf, balanced, std::int64_t{1}});
}

namespace {

// Halfway between two neighbouring values; the lower one if halfway rounds to the upper or
// overflows.
double midpoint(const KeyRange& range, Key below, Key above) {
  if (range.integer) return 0.5 * range.decode(below) + 0.5 * range.decode(above);
  const float a = float_of(below), b = float_of(above);
  const float middle = a / 2.0F + b / 2.0F;
  return static_cast<double>(middle == b || !std::isfinite(middle) ? a : middle);
}

// Scores closer than this share of the criterion's scale differ by rounding only: they are ties,
// and the first one wins, whatever the order of the sums.
constexpr double kNoise = 1e-12;

template <class Criterion>
class CriterionFinder final : public SplitFinder {
 public:
  CriterionFinder(const Response& response, const SplitRules& rules)
      : criterion_(response), rules_(rules) {}

  void start_node(const NodeSample& node) override {
    node_ = &node;
    criterion_.start(node);
    min_child_ = rules_.min_child(node.total_count);
  }

  bool pure() const override { return criterion_.pure(); }

  std::optional<Split> find(std::span<const Key> keys, const KeyRange& range,
                            double gain_to_beat) override {
    best_.reset();
    best_score_ = criterion_.node_score() + gain_to_beat;
    tolerance_ = kNoise * criterion_.scale();
    keys_ = keys;
    range_ = range;
    const bool binned = use_bins();
    if (binned)
      fill_bins();
    else
      ordered_ = order_.sort(keys, range);
    // Missing rows are tried on the right first, then on the left.
    scan(false, binned);
    if (range.n_missing > 0) scan(true, binned);
    if (best_) {
      best_->gain = best_score_ - criterion_.node_score();
      best_->perfect = criterion_.perfect(best_score_);
    }
    return best_;
  }

 private:
  // Counting beats sorting when the bins to scan are fewer than the rows.
  bool use_bins() const {
    if constexpr (Criterion::kAdditive)
      return range_.integer && (static_cast<std::size_t>(range_.max - range_.min) + 1) *
                                       (criterion_.bin_size() + 1) <=
                                   keys_.size();
    return false;
  }

  void fill_bins() {
    if constexpr (Criterion::kAdditive) {
      const std::size_t width = criterion_.bin_size();
      const std::size_t n_bins = static_cast<std::size_t>(range_.max - range_.min) + 1;
      bins_.assign(n_bins * width, 0.0);
      bin_counts_.assign(n_bins, 0);
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        const std::size_t bin = keys_[i] - range_.min;
        criterion_.add_to_bin(&bins_[bin * width], i);
        bin_counts_[bin] += node_->count[i];
      }
    }
  }

  void scan(bool missing_left, bool binned) {
    criterion_.reset();
    left_count_ = 0;
    if (missing_left)
      for (std::size_t i = 0; i < keys_.size(); ++i)
        if (keys_[i] == kMissing) move_left(i);
    if (binned)
      scan_bins(missing_left);
    else
      scan_rows(missing_left);
  }

  void move_left(std::size_t i) {
    criterion_.move_left(i);
    left_count_ += node_->count[i];
  }

  void scan_rows(bool missing_left) {
    const std::size_t m = ordered_.size();
    for (std::size_t r = 0; r < m; ++r) {
      move_left(KeyOrder::position(ordered_[r]));
      const Key here = KeyOrder::key(ordered_[r]);
      if (r + 1 < m) {
        const Key next = KeyOrder::key(ordered_[r + 1]);
        if (next != here) consider(range_.min + here, range_.min + next, missing_left);
      } else if (!missing_left && range_.n_missing > 0) {
        consider_missing_alone();
      }
    }
  }

  void scan_bins(bool missing_left) {
    if constexpr (Criterion::kAdditive) {
      const std::size_t width = criterion_.bin_size();
      std::size_t last = 0;
      for (std::size_t bin = 0; bin < bin_counts_.size(); ++bin) {
        if (bin_counts_[bin] == 0) continue;
        if (bin > 0)
          consider(range_.min + static_cast<Key>(last), range_.min + static_cast<Key>(bin),
                   missing_left);
        criterion_.move_bin_left(&bins_[bin * width]);
        left_count_ += bin_counts_[bin];
        last = bin;
      }
    }
  }

  bool allowed() const {
    return left_count_ >= min_child_ && node_->total_count - left_count_ >= min_child_;
  }

  void consider(Key below, Key above, bool missing_left) {
    if (!allowed()) return;
    const double score = criterion_.score();
    if (!(score > best_score_ + tolerance_)) return;
    best_score_ = score;
    best_ = Split{midpoint(range_, below, above), below, missing_left, 0.0, false};
  }

  // All present rows left, also those to come that are larger than any seen; the missing ones
  // right.
  void consider_missing_alone() {
    if (!allowed()) return;
    const double score = criterion_.score();
    if (!(score > best_score_ + tolerance_)) return;
    best_score_ = score;
    best_ = Split{std::numeric_limits<double>::infinity(), range_.max, false, 0.0, false};
  }

  Criterion criterion_;
  SplitRules rules_;
  const NodeSample* node_ = nullptr;
  std::int64_t min_child_ = 1;

  std::span<const Key> keys_;
  KeyRange range_;
  KeyOrder order_;
  std::span<const std::uint64_t> ordered_;
  std::vector<double> bins_;
  std::vector<std::int64_t> bin_counts_;
  std::int64_t left_count_ = 0;
  std::optional<Split> best_;
  double best_score_ = 0.0;
  double tolerance_ = 0.0;
};

}  // namespace

std::unique_ptr<SplitFinder> make_split_finder(CriterionKind kind, const Response& response,
                                               const SplitRules& rules) {
  switch (kind) {
    case CriterionKind::gini:
      return std::make_unique<CriterionFinder<Gini>>(response, rules);
    case CriterionKind::entropy:
      return std::make_unique<CriterionFinder<Entropy>>(response, rules);
    case CriterionKind::squared_error:
      return std::make_unique<CriterionFinder<SquaredError>>(response, rules);
    case CriterionKind::absolute_error:
      return std::make_unique<CriterionFinder<AbsoluteError>>(response, rules);
  }
  return nullptr;
}

}  // namespace mf
