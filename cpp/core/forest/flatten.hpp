// From grown trees to the arrays of a flat forest.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/huge_pages.hpp"
#include "train/finished_tree.hpp"

namespace mf::train {

// The arrays of forest/flat_forest.hpp, and what is known of the training rows and of pruning.
// Empty are: one of shares and means; rotations, if there are none; what is known of rows, if
// samples are not kept; the paths of pruning, unless they were asked for. They are on huge pages: of
// small ones a large forest has so many that making them takes a tenth of growing it.
struct FlatArrays {
  LargeVector<std::int64_t> tree_offsets;
  LargeVector<std::int32_t> left;
  LargeVector<std::uint8_t> kind;
  LargeVector<double> threshold;
  LargeVector<std::uint8_t> missing_left;
  LargeVector<float> gain;
  LargeVector<double> weight;
  LargeVector<float> shares;
  LargeVector<double> means;
  LargeVector<std::uint8_t> atom_kind;
  LargeVector<std::int64_t> atom_offsets;
  LargeVector<std::int32_t> atom_ints;
  LargeVector<std::int64_t> weight_offsets;
  LargeVector<float> atom_weights;
  std::size_t rotation_size = 0;
  LargeVector<std::int32_t> rotation_dims;
  LargeVector<float> rotations;
  LargeVector<std::int32_t> leaf_of_row;
  // In as few bytes as they need: one of these.
  std::variant<LargeVector<std::int32_t>, LargeVector<std::int16_t>, LargeVector<std::int8_t>>
      inbag;
  LargeVector<std::int64_t> path_offsets;
  LargeVector<double> path_alphas, path_impurities;

  std::size_t n_trees() const { return tree_offsets.size() - 1; }
  std::size_t n_nodes() const { return left.size(); }
};

// The memory of trees is freed on the way: a large forest is never held twice.
FlatArrays flatten(std::vector<FinishedTree> trees);

}  // namespace mf::train
