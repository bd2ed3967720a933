// From grown trees to the arrays of a flat forest.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/block_loop.hpp"
#include "base/huge_pages.hpp"
#include "train/finished_tree.hpp"

namespace mf::train {

template <class T>
using FlatVector = UnwrittenVector<T>;

// The arrays of forest/flat_forest.hpp, and what is known of the training rows and of pruning.
// Empty are: one of shares and means; rotations, if there are none; what is known of rows, if
// samples are not kept; the paths of pruning, unless they were asked for; weight_offsets, if they
// are the same numbers as atom_offsets. They are on huge pages: of small ones a large forest has so
// many that making them takes a tenth of growing it.
struct FlatArrays {
  FlatVector<std::int64_t> tree_offsets;
  FlatVector<std::int32_t> left;
  FlatVector<std::uint8_t> kind;
  FlatVector<double> threshold;
  FlatVector<std::uint8_t> missing_left;
  FlatVector<float> gain;
  FlatVector<double> weight;
  FlatVector<float> shares;
  FlatVector<double> means;
  FlatVector<std::uint8_t> atom_kind;
  FlatVector<std::int64_t> atom_offsets;
  FlatVector<std::int32_t> atom_ints;
  FlatVector<std::int64_t> weight_offsets;
  FlatVector<float> atom_weights;
  std::size_t rotation_size = 0;
  FlatVector<std::int32_t> rotation_dims;
  FlatVector<float> rotations;
  FlatVector<std::int32_t> leaf_of_row;
  // In as few bytes as they need: one of these.
  std::variant<FlatVector<std::int32_t>, FlatVector<std::int16_t>, FlatVector<std::int8_t>> inbag;
  FlatVector<std::int64_t> path_offsets;
  FlatVector<double> path_alphas, path_impurities;

  std::size_t n_trees() const { return tree_offsets.size() - 1; }
  std::size_t n_nodes() const { return left.size(); }
};

// The memory of trees is freed on the way: a large forest is never held twice. `loop` is used where
// there are many nodes; without it one thread does all.
FlatArrays flatten(std::vector<FinishedTree> trees, const BlockLoop& loop = {});

}  // namespace mf::train
