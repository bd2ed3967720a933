// The derivatives of the rows of a tree as whole numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/block_loop.hpp"
#include "base/page_vector.hpp"
#include "data/samples.hpp"
#include "data/target.hpp"
#include "split/kernels/kernels.hpp"

namespace mf::train {

// The searched derivatives of all rows of a tree, times their weights, rounded to 16 bits relative
// to the largest of the tree: all sums are exact, and those of a node are those of its parent minus
// those of its sibling.
struct RoundedRows {
  // n × stride: gradients, hessian, count, zeros; or a gradient and a hessian alone, which is
  // positive and stands for the count.
  PageVector<std::int16_t> rows;
  std::size_t stride = 0;
  std::size_t lanes = 0;    // of sums; as many
  bool unit_counts = true;  // of all rows
  GradientRules rules;      // but for what depends on the node

  // That of counts among the lanes.
  std::size_t count_lane() const { return lanes == 2 ? 1 : rules.n_gradients + 1; }
};

// Of rows that ascend. Counts are left out, if they are not needed and there is one gradient. Null
// if there is no room, or not enough precision, for some row. Takes the memory of those of a former
// tree, if they are given.
std::shared_ptr<RoundedRows> round_rows(const Derivatives& derivatives, double l2,
                                        bool needs_counts, const RowSamples& samples,
                                        std::span<const Row> rows, const BlockLoop& loop,
                                        RoundedRows* former);

}  // namespace mf::train
