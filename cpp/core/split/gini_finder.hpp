// The fast search for Gini: whole weights, one output, few classes, nothing missing.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "split/finder.hpp"
#include "split/kernels/kernels.hpp"
#include "split/key_bins.hpp"

namespace mf {

// Chooses per column, by the size of the node and the range of the keys:
//   up to 64 rows            every threshold, by sets of bits
//   up to 256 integers       every threshold, by counting
//   splitter "random"        the one threshold that is drawn
//   otherwise                thresholds between at most 256 bins, unless the splitter is exact
// Whatever fits none of these goes to the general finder. Thresholds that both find are the same.
class GiniFinder final : public SplitFinder {
 public:
  static constexpr int kMaxClasses = 32;

  GiniFinder(const Response& response, const SplitRules& rules, SplitterKind splitter,
             std::unique_ptr<SplitFinder> general);

  void start_node(const NodeSample& node) override;
  bool pure() const override;
  std::optional<Split> find(std::span<const Key> keys, const KeyRange& range, double gain_to_beat,
                            Rng& rng) override;

 private:
  void start_small();
  SplitFinder& general();
  std::optional<Split> try_one(std::span<const Key> keys, const KeyRange& range, Key last_left);
  std::optional<Split> find_small(std::span<const Key> keys, const KeyRange& range);
  std::optional<Split> find_in_bins(std::span<const Key> keys, const KeyRange& range);
  std::optional<Split> to_split(const BinCut& cut, const KeyRange& range, Key below, Key above);

  SplitRules rules_;
  SplitterKind splitter_;
  std::unique_ptr<SplitFinder> general_;
  std::size_t n_classes_, stride_;

  const NodeSample* node_ = nullptr;
  bool fast_ = false;             // this node can take the fast search
  bool general_started_ = false;  // the general finder knows this node
  std::vector<std::uint8_t> label_;
  std::vector<std::uint16_t> weight_;
  std::vector<std::uint32_t> totals_, left_;
  double node_score_ = 0.0;
  CutRules cut_rules_;
  SmallNode small_;

  KeyBins bins_;
  std::vector<std::uint32_t> counts_;
  std::array<std::uint8_t, KeyBins::kMaxBins> occupied_{};
};

}  // namespace mf
