// The search of boosting in large nodes whose candidates are single features: derivatives are
// summed up by the codes of the columns, for all candidates in one pass over the rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/block_loop.hpp"
#include "data/code_rows.hpp"
#include "data/samples.hpp"
#include "data/target.hpp"
#include "split/finder.hpp"
#include "split/kernels/kernels.hpp"
#include "split/rounded_rows.hpp"

namespace mf::train {

// Nodes of fewer rows are searched column by column: their own values then tell more than codes
// that were made for all rows.
constexpr std::size_t kMinCodedRows = 4097;

// Sums over the rows of a node, features × CodeRows::kCodes × lanes. Whole numbers below 2^46.
using CodeSums = std::vector<double>;

class CodeSearch {
 public:
  CodeSearch(const Derivatives& derivatives, double l2, const SplitRules& rules);

  // As round_rows, with counts if the rules ask for them.
  std::shared_ptr<RoundedRows> round(const RowSamples& samples, std::span<const Row> rows,
                                     const BlockLoop& loop, RoundedRows* former) const;

  // What the tree that is grown from now on reads.
  void start_tree(const CodeRows* codes, const RoundedRows* rounded);
  // Whether sums for all features are small enough to be kept for the children of a node.
  bool keeps_sums() const;

  // The sums of some rows, for some features, or for all if there are none.
  void add_up(std::span<const Row> rows, std::span<const std::uint32_t> features,
              const BlockLoop& loop, CodeSums& out) const;
  static void subtract(CodeSums& from, const CodeSums& part);

  // How many rows there are, by their counts.
  std::int64_t count(std::span<const Row> rows, const RowSamples& samples) const;
  // Whether all rows have the same derivatives: then no split can gain anything.
  bool pure(std::span<const Row> rows) const;
  void start_node(const CodeSums& sums, std::size_t n_rows);
  // Of the sums at a place, which are those of a feature. `varied` is set to whether there is more
  // than one code. last_left of the split is a code.
  std::optional<Split> find(std::size_t place, std::size_t feature, double gain_to_beat,
                            bool& varied);

 private:
  const double* sums_of(std::size_t place) const {
    return sums_->data() + place * CodeRows::kCodes * rounded_->lanes;
  }
  void add_part(const std::vector<std::int32_t>& part, CodeSums& out) const;
  void try_cuts(const double* sums, std::size_t feature, bool missing_left,
                std::optional<Split>& best);
  double threshold(std::size_t feature, const BinCut& cut) const;

  const Derivatives& derivatives_;
  const double l2_;
  const SplitRules rules_;
  const CodeRows* codes_ = nullptr;
  const RoundedRows* rounded_ = nullptr;

  // The node.
  const CodeSums* sums_ = nullptr;
  GradientRules cut_rules_;
  double node_score_ = 0.0;
  std::vector<double> totals_;
  std::vector<double> nothing_;  // zeros
};

}  // namespace mf::train
