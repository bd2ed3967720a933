// The fast search for Gini: whole weights, one output, few classes, nothing missing.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "split/finder.hpp"
#include "split/kernels/kernels.hpp"
#include "split/key_bins.hpp"
#include "split/order.hpp"
#include "split/width_bins.hpp"

namespace mf::train {

// Chooses per column, by the size of the node and the range of the keys:
//   up to 64 rows            every threshold, by sets of bits or, of two classes, sums of pairs
//   up to 256 integers       every threshold, by counting
//   splitter "random"        the one threshold that is drawn
//   splitter "exact"         every threshold, by sorting
//   codes, other integers    thresholds between at most 256 bins
//   floats                   the same, of equal width; where these are crowded, bins between
//                            quantiles in large nodes, and sorted rows in others
// Weights that are not whole and missing values go to the general finder. Both finders find the
// same thresholds.
class GiniFinder final : public SplitFinder {
 public:
  static constexpr int kMaxClasses = 32;

  GiniFinder(const SplitRules& rules, SplitterKind splitter, std::unique_ptr<SplitFinder> general);

  void start_node(const NodeSample& node) override;
  bool pure() const override { return fast_ ? totals_.size() < 2 : general_->pure(); }
  double node_loss() const override { return fast_ ? -node_score_ : general_->node_loss(); }
  void start_column(const Column& column) override;
  void anticipate() override;
  std::optional<Split> decide(double gain_to_beat, Rng& rng) override;

 private:
  // How the thresholds of a column are enumerated.
  enum class Way : std::uint8_t { general, one, small, bins, sort };

  Way choose_way(const Column& column) const;
  bool may_bin_by_width() const;
  void place_classes(const NodeSample& node);
  void fill_planes();
  void fill_pairs();
  SplitFinder& general();
  void count_bins();
  std::size_t n_bins() const { return by_width_ ? WidthBins::kBins : bins_.size(); }
  void sort_rows();
  std::optional<Split> try_one(Key last_left);
  std::optional<Split> cut_small();
  std::optional<Split> cut_bins();
  std::optional<Split> cut_sorted();
  bool narrow() const;
  bool paired() const;
  std::optional<Split> to_split(const BinCut& cut, Key below, Key above);

  SplitRules rules_;
  SplitterKind splitter_;
  std::unique_ptr<SplitFinder> general_;

  const NodeSample* node_ = nullptr;
  bool fast_ = false;              // the weights of this node are whole
  bool general_started_ = false;   // the general finder knows this node
  std::uint32_t node_weight_ = 0;  // below 2^31, or the node is not packed
  double node_score_ = 0.0;        // -W I(S)
  CutRules cut_rules_;

  // The classes of the node, those that are present side by side: 0, 1, ...
  // weight << 8 | place of the class; weights are below 2^16.
  std::span<const std::uint32_t> rows_;  // those of the sample, if all classes are present
  PageVector<std::uint32_t> placed_;     // otherwise
  std::vector<std::uint32_t> totals_;    // weight of each class; all together below 2^31
  ClassPlanes planes_;                   // of small nodes, and for single thresholds
  // Of nodes with two classes that weigh less than 2^15, whose searches are of their own: weight |
  // weight in the second class << 16, and their sum.
  PageVector<std::uint32_t> pairs_;
  std::uint32_t total_pair_ = 0;

  Column column_;
  Way way_ = Way::general;
  std::vector<std::uint64_t> sorted_;
  PackedSort sort_;
  KeyBins bins_;
  WidthBins width_bins_;
  bool by_width_ = false;  // the column is in bins of equal width
  std::vector<Key> widened_;
  std::size_t stride_ = 0;  // places per bin
  std::vector<std::uint32_t> padded_totals_, counts_, left_;
  std::vector<std::uint16_t> narrow_counts_;  // of nodes that weigh less than 2^15
  std::vector<std::uint32_t> pair_counts_;    // of pairs
  std::array<std::uint8_t, KeyBins::kMaxBins> occupied_{};
};

}  // namespace mf::train
