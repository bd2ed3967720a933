// From grown trees to the arrays of a flat forest.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "train/finished_tree.hpp"

namespace mf::train {

// The arrays of forest/flat_forest.hpp, and what is known of the training rows and of pruning.
// Empty are: one of shares and means; rotations, if there are none; what is known of rows, if
// samples are not kept; the paths of pruning, unless they were asked for.
struct FlatArrays {
  std::vector<std::int64_t> tree_offsets;
  std::vector<std::int32_t> left;
  std::vector<std::uint8_t> kind;
  std::vector<double> threshold;
  std::vector<std::uint8_t> missing_left;
  std::vector<float> gain;
  std::vector<double> weight;
  std::vector<float> shares;
  std::vector<double> means;
  std::vector<std::uint8_t> atom_kind;
  std::vector<std::int64_t> atom_offsets;
  std::vector<std::int32_t> atom_ints;
  std::vector<std::int64_t> weight_offsets;
  std::vector<float> atom_weights;
  std::size_t rotation_size = 0;
  std::vector<std::int32_t> rotation_dims;
  std::vector<float> rotations;
  std::vector<std::int32_t> leaf_of_row;
  // In as few bytes as they need: one of these.
  std::variant<std::vector<std::int32_t>, std::vector<std::int16_t>, std::vector<std::int8_t>>
      inbag;
  std::vector<std::int64_t> path_offsets;
  std::vector<double> path_alphas, path_impurities;

  std::size_t n_trees() const { return tree_offsets.size() - 1; }
  std::size_t n_nodes() const { return left.size(); }
};

// The memory of trees is freed on the way: a large forest is never held twice.
FlatArrays flatten(std::vector<FinishedTree> trees);

}  // namespace mf::train
