// Gini impurity of one output in nodes of few rows (few_nodes.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "split/few_nodes.hpp"

namespace mf::train {

// Of rows that weigh as much as they count; all numbers are those of GiniFinder and ClassShares.
class FewClasses {
 public:
  static constexpr std::size_t kMaxClasses = 32;

  FewClasses(std::size_t n_classes, const SplitRules& rules)
      : n_classes_(n_classes), rules_(rules) {}

  bool take(std::span<const Row> rows, const RowSamples& samples, double min_child_weight) {
    if (samples.packed.empty()) return false;
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows_[i] = static_cast<std::uint32_t>(samples.packed[static_cast<std::size_t>(rows[i])]);
    fill_sets(rows.size());
    limited_ = rules_.min_samples_leaf > 1 || rules_.min_balance > 0.0;
    min_weight_ = static_cast<std::int64_t>(std::ceil(up_to_rounding(min_child_weight)));
    return true;
  }

  void add(std::size_t number, std::size_t i) { packed_[i] = rows_[number]; }

  FewNodes::Opened open(RowSet rows, std::size_t n, double* value) {
    if (in_sets_)
      count_sets(rows);
    else
      count_rows(n);
    const auto weight = static_cast<double>(total_);
    bool pure = false;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      pure = pure || counts_[k] == total_;
      value[k] = counts_[k] / weight;
    }
    return {weight, total_, pure};
  }

  double open_row(std::size_t number, double* value) const {
    std::fill_n(value, n_classes_, 0.0);
    value[rows_[number] & 0xff] = 1.0;
    return static_cast<double>(rows_[number] >> 8);
  }

  FewRules start_search(std::size_t n) {
    n_ = n;
    const std::int64_t min_child = limited_ ? rules_.min_child(total_) : 1;
    min_child_ = static_cast<std::uint32_t>(std::min<std::int64_t>(
        std::max(min_child, min_weight_), static_cast<std::int64_t>(total_)));
    std::uint64_t squares = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) squares += std::uint64_t{counts_[k]} * counts_[k];
    const double loss = loss_of(total_, squares);
    return {-loss, kScoreNoise * loss, 0.0};
  }

  double score(std::uint64_t left, std::size_t n) const {
    // Without branches, which such sets would make slow. A number is kept or made 0 by `and`.
    std::uint64_t left_weight = 0, left_squares = 0, all_squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t own = packed_[i] >> 8, own_left = own & (~(left >> i & 1) + 1);
      const std::uint64_t side = left >> i & 1;
      left_weight += own_left;
      left_squares += own_left * own_left;
      all_squares += own * own;
      for (std::size_t j = 0; j < i; ++j) {
        const bool together = (((packed_[i] ^ packed_[j]) & 0xff) | ((left >> j & 1) ^ side)) == 0;
        const std::uint64_t twice = 2 * (packed_[j] >> 8) & (~std::uint64_t{together} + 1);
        left_squares += own_left * twice;
        all_squares += own * twice;
      }
    }
    const std::uint64_t right_weight = total_ - left_weight;
    if (std::min(left_weight, right_weight) < min_child_) return kNoSplitYet;
    return -loss_of(left_weight, left_squares) - loss_of(right_weight, all_squares - left_squares);
  }

  FewCut cut(const Kernels& kernels, const FewRows& node, const FewCandidates& candidates,
             const FewRules& rules) {
    fill_planes();
    return kernels.draw_few_classes(node, candidates, rules, planes_);
  }

 private:
  // W I, see objectives/gini.cpp.
  static double loss_of(std::uint64_t weight, std::uint64_t squares) {
    return static_cast<double>(weight * weight - squares) / static_cast<double>(weight);
  }

  // The rows of each class of the subtree, if there are few classes and rows count once.
  void fill_sets(std::size_t n) {
    in_sets_ = n_classes_ <= kMostSets;
    sets_.fill(0);
    for (std::size_t i = 0; i < n && in_sets_; ++i) {
      in_sets_ = rows_[i] >> 8 == 1;
      sets_[rows_[i] & (kMostSets - 1)] |= RowSet{1} << i;
    }
  }

  void count_sets(RowSet rows) {
    total_ = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      counts_[k] = count_bits(rows & sets_[k]);
      total_ += counts_[k];
    }
  }

  void count_rows(std::size_t n) {
    std::fill_n(counts_.begin(), n_classes_, 0U);
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      counts_[packed_[i] & 0xff] += packed_[i] >> 8;
      total += packed_[i] >> 8;
    }
    total_ = total;
  }

  // Of two classes whose rows count once. The second one has the rows that the first one has not.
  void fill_two_planes(std::uint32_t second) {
    RowSet of_second = 0;
    for (std::size_t i = 0; i < n_; ++i) of_second |= RowSet{(packed_[i] & 0xff) == second} << i;
    words_[0] = ~of_second & first_rows(n_);
    words_[1] = of_second;
  }

  // See FewPlanes; only classes that are present have planes.
  void fill_planes() {
    std::array<std::uint8_t, 256> place;
    std::size_t n_present = 0, last = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      if (counts_[k] == 0) continue;
      place[k] = static_cast<std::uint8_t>(n_present);
      totals_[n_present++] = counts_[k];
      last = k;
    }
    if (in_sets_ && n_present == 2) {
      fill_two_planes(static_cast<std::uint32_t>(last));
      planes_ = {words_.data(), totals_.data(), 2, 1, total_, min_child_};
      return;
    }
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < n_; ++i) bits |= packed_[i] >> 8;
    const auto n_bits = static_cast<std::size_t>(std::bit_width(bits));
    std::fill_n(words_.begin(), n_present * n_bits, 0U);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t b = 0; b < n_bits; ++b)
        words_[place[packed_[i] & 0xff] * n_bits + b] |= std::uint64_t{packed_[i] >> (8 + b) & 1}
                                                         << i;
    planes_ = {words_.data(), totals_.data(), n_present, n_bits, total_, min_child_};
  }

  static constexpr std::size_t kCountBits = 16;  // of packed rows
  static constexpr std::size_t kMostSets = 4;    // more take longer to count than rows

  const std::size_t n_classes_;
  const SplitRules rules_;

  // The subtree.
  std::array<std::uint32_t, FewRows::kMost> rows_;  // see RowSamples::packed
  std::array<RowSet, kMostSets> sets_;              // of classes, if every row counts once:
  bool in_sets_ = false;
  bool limited_ = false;         // by how many rows a child has
  std::int64_t min_weight_ = 0;  // of a child

  // The node, of less than 2^22 rows: 64 times 2^16.
  std::size_t n_ = 0;
  std::array<std::uint32_t, FewRows::kMost> packed_;
  std::array<std::uint32_t, kMaxClasses> counts_, totals_;
  std::uint32_t total_ = 0, min_child_ = 1;
  std::array<std::uint64_t, kMaxClasses * kCountBits> words_;
  FewPlanes planes_;
};

}  // namespace mf::train
