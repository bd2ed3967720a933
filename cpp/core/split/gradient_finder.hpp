// The fast search of boosting: gradients as whole numbers, summed in bins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "data/target.hpp"
#include "split/finder.hpp"
#include "split/kernels/kernels.hpp"
#include "split/key_bins.hpp"
#include "split/order.hpp"

namespace mf::train {

// The searched derivatives of a node's rows are rounded to 16 bits, relative to the largest of the
// node, so that a row is one or two vector registers and all sums are exact: they depend neither on
// the order of the rows nor on the instruction set. Thresholds lie between
//   up to kExactRows rows       all different keys, by sorting
//   integers                    bins of equal width, one value each if there are few
//   floats                      quantiles of a sample, at most 64 bins
// The splitters "exact" and "random" go to the general finder, which sums in double, and so do
// nodes with limits or counts for which there is no room here.
class GradientFinder final : public SplitFinder {
 public:
  static constexpr std::size_t kMaxGradients = 30;
  static constexpr std::int32_t kLargest = 32767;                   // of a lane
  static constexpr float kMostScale = 1e30F;                        // larger ones may overflow
  static constexpr std::size_t kSummedRows = std::size_t{1} << 16;  // sums of 16 bits stay in 32

  // Lanes of a row of so many gradients, with its hessian and its count.
  static std::size_t lanes_for(std::size_t n_gradients);
  // Whole numbers are at most kLargest in size, also after rounding.
  static float scale_for(float largest);

  GradientFinder(const Derivatives& derivatives, double l2, const SplitRules& rules,
                 SplitterKind splitter, std::unique_ptr<SplitFinder> general);

  void start_node(const NodeSample& node) override;
  bool pure() const override { return fast_ ? pure_ : general_->pure(); }
  double node_loss() const override { return fast_ ? -node_score_ : general_->node_loss(); }
  void start_column(const Column& column) override;
  void anticipate() override;
  std::optional<Split> decide(double gain_to_beat, Rng& rng) override;

 private:
  bool has_room(const NodeSample& node) const;
  void quantise(const NodeSample& node);
  bool all_equal() const;
  void bin_rows(const Column& column);
  void bin_distinct(const Column& column);
  void place_missing(std::span<const Key> keys);
  void sum_bins();
  void try_cuts(bool missing_left);
  std::pair<Key, Key> around(const BinCut& cut) const;

  const Derivatives& derivatives_;
  const double l2_;
  const SplitRules rules_;
  const SplitterKind splitter_;
  const std::unique_ptr<SplitFinder> general_;

  // The node.
  const NodeSample* node_ = nullptr;
  bool fast_ = false;
  bool pure_ = false;
  double node_score_ = 0.0;
  GradientRules cut_rules_;
  const std::size_t stride_;        // lanes of a row: gradients, hessian, count, zeros
  std::vector<float> gathered_;     // searched derivatives of its rows, with their weights
  std::vector<std::int16_t> rows_;  // the same as whole numbers, size × stride
  std::vector<double> totals_;      // of the lanes

  // The column: bins of its rows, and of those that are missing one more.
  KeyRange range_;
  bool distinct_ = false;  // each bin is one key, of distinct_keys_
  std::vector<Key> widened_, distinct_keys_;
  KeyOrder order_;
  KeyBins key_bins_;
  std::vector<std::uint8_t> own_bins_;
  const std::uint8_t* bins_ = nullptr;
  std::size_t n_bins_ = 0;
  std::vector<std::int32_t> part_sums_;  // of at most 2^16 rows
  std::vector<double> sums_;             // bins × stride, the missing rows last
  std::vector<double> nothing_;          // zeros
  std::optional<Split> best_;
};

}  // namespace mf::train
