// The fast search for squared error, of one or several outputs.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "split/finder.hpp"
#include "split/kernels/kernels.hpp"
#include "split/key_bins.hpp"
#include "split/order.hpp"

namespace mf::train {

// Responses are centred on the node's mean. The sums of both sides are then the same number with
// opposite signs, and the gain of a cut is
//   s^2 / W_L + s^2 / W_R = s^2 W / (W_L W_R),
// added up over outputs: sums on one side are enough. Chooses per column:
//   splitter "random"             the one threshold that is drawn
//   rows of a block               every threshold, in the order of ranks
//   large nodes, few integers     thresholds between at most 256 bins, unless they are not exact
//                                 and the splitter is
//   otherwise                     every threshold, by sorting
// All sums are in double, in an order that depends on the rows alone. Cuts whose scores differ by
// less than rounding (kScoreNoise) are ties, and the lowest of them wins. Missing values go to the
// general finder, and so do nodes of extreme weights, or with limits on counts that are no weights.
class RegressionFinder final : public SplitFinder {
 public:
  RegressionFinder(std::size_t n_outputs, const SplitRules& rules, SplitterKind splitter,
                   std::unique_ptr<SplitFinder> general);

  void start_node(const NodeSample& node) override;
  bool pure() const override { return fast_ ? pure_ : general_->pure(); }
  double node_loss() const override { return fast_ ? loss_ / n_outputs() : general_->node_loss(); }
  bool takes_ranks() const override { return splitter_ != SplitterKind::random; }
  void start_column(const Column& column) override;
  void anticipate() override;
  std::optional<Split> decide(double gain_to_beat, Rng& rng) override;

 private:
  // How the thresholds of a column are enumerated.
  enum class Way : std::uint8_t { general, one, ranks, bins, sort };

  double n_outputs() const { return static_cast<double>(n_outputs_); }
  bool has_room(const NodeSample& node);
  void centre(const NodeSample& node);
  void centre_one(const NodeSample& node);
  // Numbers per row of rows_: single thresholds of one output read weights apart.
  std::size_t row_step() const {
    return n_outputs_ == 1 && splitter_ == SplitterKind::random ? 1 : stride_;
  }
  double score_of(double squares, double left) const;
  double best_division_of_outputs();
  ResponseRows rows() const { return {rows_.data(), n_rows_, stride_}; }
  Way choose_way(const Column& column) const;
  void start_general(const Column& column);
  void make_room(std::size_t n_cuts);
  std::size_t cut_bins(const Column& column);
  void try_one(Key last_left);
  std::pair<Key, Key> around(std::size_t cut) const;
  // The key of the row, or bin, at a place in the order of the column.
  Key key_at(std::size_t place) const;

  const std::size_t n_outputs_;
  const std::size_t stride_;
  const SplitRules rules_;
  const SplitterKind splitter_;
  const std::unique_ptr<SplitFinder> general_;

  // The node. Losses and gains are sums over outputs until they leave.
  const NodeSample* node_ = nullptr;
  const Kernels* kernels_ = nullptr;  // asked for once per node
  bool fast_ = false;
  bool general_started_ = false;  // the general finder knows this node
  bool pure_ = false;
  bool unit_weights_ = false;  // all are 1
  std::size_t n_rows_ = 0;
  double weight_ = 0.0;
  double least_ = 0.0;  // smallest weight of a child
  double loss_ = 0.0;
  double tolerance_ = 0.0;
  double largest_ = 0.0;        // no cut has a larger score
  std::vector<double> rows_;    // see ResponseRows and row_step()
  std::vector<double> centre_;  // of each output, relative to the first row

  // The column.
  Way way_ = Way::general;
  Column column_;
  std::vector<Key> widened_;
  std::vector<std::uint64_t> sorted_;
  PackedSort sort_;
  KeyBins bins_;
  std::vector<double> bin_sums_;
  std::vector<std::uint8_t> occupied_;  // bins that are not empty
  std::vector<std::uint16_t> positions_, slots_;
  std::vector<std::uint64_t> marks_;
  RankOrder order_;
  std::vector<double> squares_, left_, scores_, wide_;
  std::vector<std::uint32_t> ends_;
  CutSums cuts_;
  std::size_t n_cuts_ = 0;
  Key one_ = 0;
  double best_ = 0.0;  // the largest score
};

}  // namespace mf::train
