// Refitting the values of all leaves together, by softmax regression on leaf indicators.
//
// In each of T trees a row i lies in one leaf, and its scores s_i are the sums of the values v of
// these T leaves. With weights w of mean 1,
//
//   sum_i w_i ( -log softmax(s_i)[y_i] + l2 T / 2 sum_t |v of leaf t|^2 )
//
// is made small from v = 0 on: in stochastic gradient descent every visit of a row moves its scores
// by `step` times the gradient by them, whatever T is. Several outputs add up their losses.
// Global refinement of forests: Ren, Cao, Wei & Sun, CVPR 2015, with support vector machines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interrupt.hpp"

namespace mf::train {

// Chosen on MNIST, 1000 and 10000 rows, and on 14 tables of UCI; more passes gain nothing there.
struct RefineOptions {
  int n_passes = 5;
  double step = 8.0;       // at the first visit; falls to 0 at the last, in equal parts
  double l2 = 3e-3;        // step * l2 < 1, so that no value is more than forgotten
  std::uint64_t seed = 0;  // of the order of rows, another one in each pass
};

// The trees, as in forest/flat_forest.hpp, and their training rows.
struct RefineInputs {
  std::span<const std::int64_t> tree_offsets;
  std::span<const std::int32_t> left;
  std::span<const double> node_weight;
  const std::int32_t* leaf_of_row = nullptr;  // trees × n_rows: nodes of each tree
  const std::int32_t* labels = nullptr;       // n_rows × outputs
  std::span<const int> n_classes;             // per output
  std::span<const double> weight;             // of rows; not all 0

  std::size_t n_trees() const { return tree_offsets.size() - 1; }
  std::size_t n_rows() const { return weight.size(); }
};

// Returns the scores of all nodes, nodes × classes of all outputs: those of leaves, and for inner
// nodes the means of their children by node_weight. They are rounded to single precision. One
// thread: rows follow each other.
std::vector<double> refine(const RefineInputs& inputs, const RefineOptions& options,
                           const InterruptFunction& check_interrupt);

}  // namespace mf::train
