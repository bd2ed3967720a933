// The search for any criterion: one scan over the thresholds of a column, compiled per criterion.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "split/finder.hpp"
#include "split/key_bins.hpp"
#include "split/order.hpp"

namespace mf::train {

template <class Criterion>
class CriterionFinder final : public SplitFinder {
 public:
  CriterionFinder(Criterion criterion, const SplitRules& rules, SplitterKind splitter)
      : criterion_(std::move(criterion)), rules_(rules), splitter_(splitter) {}

  void start_node(const NodeSample& node) override {
    node_ = &node;
    criterion_.start(node);
    min_child_ = rules_.min_child(node.total_count);
    min_child_weight_ = up_to_rounding(node.min_child_weight);
  }

  bool pure() const override { return criterion_.pure(); }
  double node_loss() const override { return criterion_.loss(); }

  void start_column(const Column& column) override {
    keys_ = keys_of(column, widened_);
    range_ = column.range;
    way_ = choose_way();
    switch (way_) {
      case Way::sort:
        ordered_ = order_.sort(keys_, range_);
        break;
      case Way::count:
        fill_bins(static_cast<std::size_t>(range_.max - range_.min) + 1,
                  [&](std::size_t i) { return keys_[i] - range_.min; });
        break;
      case Way::bins:
        key_bins_.build(column);
        fill_bins(key_bins_.size(), [&](std::size_t i) { return key_bins_.bins()[i]; });
        break;
      case Way::one:
        break;
    }
    anticipated_ = false;
  }

  // Only a scan over sorted rows takes long enough.
  void anticipate() override {
    if (way_ != Way::sort) return;
    anticipated_ = true;
    scan_from(kNoSplitYet);
  }

  std::optional<Split> decide(double gain_to_beat, Rng& rng) override {
    const double to_beat = criterion_.node_score() + gain_to_beat;
    if (way_ == Way::one) one_ = draw_threshold(range_, rng);
    if (!anticipated_ || depends_on(to_beat)) scan_from(to_beat);
    if (!best_ || !(best_score_ > to_beat + tolerance_)) return std::nullopt;
    // With signed coordinates a split may be worse than none.
    if (best_score_ < criterion_.node_score() - tolerance_) return std::nullopt;
    best_->gain = gain_of(best_score_, criterion_.node_score(), tolerance_);
    best_->perfect = criterion_.perfect(best_score_);
    return best_;
  }

 private:
  // How the thresholds of a column are enumerated.
  enum class Way : std::uint8_t { sort, count, bins, one };

  Way choose_way() const {
    if (splitter_ == SplitterKind::random) return Way::one;
    if constexpr (Criterion::kAdditive) {
      // Counting beats sorting when there are fewer numbers in the bins than rows.
      const std::size_t n_values = static_cast<std::size_t>(range_.max - range_.min) + 1;
      if (range_.integer && n_values * (criterion_.bin_size() + 1) <= keys_.size())
        return Way::count;
      if (splitter_ == SplitterKind::automatic && keys_.size() > kSortedRows) return Way::bins;
      if (splitter_ == SplitterKind::histogram && keys_.size() > KeyBins::kMaxBins)
        return Way::bins;
    }
    return Way::sort;
  }

  // Tries all thresholds. One becomes the best if its score exceeds the best so far, which is
  // score_to_beat at first, by more than the tolerance.
  void scan_from(double score_to_beat) {
    best_.reset();
    best_score_ = score_to_beat;
    tolerance_ = kScoreNoise * criterion_.scale();
    steps_.clear();
    // Missing rows are tried on the right first, then on the left.
    scan(false);
    if (range_.n_missing > 0) scan(true);
  }

  // Whether a scan from this score may find another threshold than the scan from below all scores.
  // That is so only if a step of the latter exceeds the score by less than the tolerance: a scan
  // from the score ignores that step and may take a later one.
  bool depends_on(double score_to_beat) const {
    return std::any_of(steps_.begin(), steps_.end(), [&](double score) {
      return score > score_to_beat && !(score > score_to_beat + tolerance_);
    });
  }

  template <class BinOf>
  void fill_bins(std::size_t n_bins, const BinOf& bin_of) {
    if constexpr (Criterion::kAdditive) {
      const std::size_t width = criterion_.bin_size();
      bins_.assign(n_bins * width, 0.0);
      bin_counts_.assign(n_bins, 0);
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (keys_[i] == kMissing) continue;
        const std::size_t bin = bin_of(i);
        criterion_.add_to_bin(&bins_[bin * width], i);
        bin_counts_[bin] += node_->count[i];
      }
    }
  }

  void scan(bool missing_left) {
    criterion_.reset();
    left_count_ = 0;
    if (missing_left)
      for (std::size_t i = 0; i < keys_.size(); ++i)
        if (keys_[i] == kMissing) move_left(i);
    switch (way_) {
      case Way::sort:
        return scan_rows(missing_left);
      case Way::count:
        return scan_bins(missing_left, [&](std::size_t last, std::size_t next) {
          return std::pair{range_.min + static_cast<Key>(last),
                           range_.min + static_cast<Key>(next)};
        });
      case Way::bins:
        return scan_bins(missing_left, [&](std::size_t last, std::size_t next) {
          return key_bins_.around_cut(last, next);
        });
      case Way::one:
        return try_one(missing_left);
    }
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

  template <class AroundCut>
  void scan_bins(bool missing_left, const AroundCut& around_cut) {
    if constexpr (Criterion::kAdditive) {
      const std::size_t width = criterion_.bin_size();
      std::optional<std::size_t> last;
      for (std::size_t bin = 0; bin < bin_counts_.size(); ++bin) {
        if (bin_counts_[bin] == 0) continue;
        if (last) {
          const auto [below, above] = around_cut(*last, bin);
          consider(below, above, missing_left);
        }
        criterion_.move_bin_left(&bins_[bin * width]);
        left_count_ += bin_counts_[bin];
        last = bin;
      }
      if (last && !missing_left && range_.n_missing > 0) consider_missing_alone();
    }
  }

  void try_one(bool missing_left) {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (keys_[i] <= one_) move_left(i);
    consider(one_, one_, missing_left);
  }

  bool allowed() const {
    return left_count_ >= min_child_ && node_->total_count - left_count_ >= min_child_;
  }
  // Checked last: the limit is rarely set, and this runs for every row.
  bool heavy_enough() const {
    if (min_child_weight_ == 0.0) return true;
    const double left = criterion_.left_weight();
    return left >= min_child_weight_ && node_->total_weight - left >= min_child_weight_;
  }

  // Whether the rows on the left make the best split so far; if so, keeps its score.
  bool is_best_so_far() {
    if (!allowed()) return false;
    const double score = criterion_.score();
    if (!(score > best_score_ + tolerance_) || !heavy_enough()) return false;
    best_score_ = score;
    if (anticipated_) steps_.push_back(score);
    return true;
  }

  void consider(Key below, Key above, bool missing_left) {
    if (is_best_so_far()) best_ = Split{midpoint(range_, below, above), below, missing_left};
  }

  // All values go left, also those of later rows that are larger than any here; missing ones go
  // right.
  void consider_missing_alone() {
    if (is_best_so_far()) best_ = Split{std::numeric_limits<double>::infinity(), range_.max, false};
  }

  Criterion criterion_;
  SplitRules rules_;
  SplitterKind splitter_;
  const NodeSample* node_ = nullptr;
  std::int64_t min_child_ = 1;
  double min_child_weight_ = 0.0;

  std::vector<Key> widened_;
  std::span<const Key> keys_;
  KeyRange range_;
  KeyOrder order_;
  std::span<const std::uint64_t> ordered_;
  Way way_ = Way::sort;
  KeyBins key_bins_;
  Key one_ = 0;
  std::vector<double> bins_;
  std::vector<std::int64_t> bin_counts_;
  std::int64_t left_count_ = 0;
  std::optional<Split> best_;
  double best_score_ = 0.0;
  double tolerance_ = 0.0;
  bool anticipated_ = false;   // the last scan began below all scores
  std::vector<double> steps_;  // scores that were the best so far in it
};

}  // namespace mf::train
