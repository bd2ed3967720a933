// A grown tree in little memory, until all trees of a forest become flat arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoms/atom.hpp"
#include "atoms/geometry.hpp"
#include "train/tree.hpp"
#include "train/tree_memory.hpp"

namespace mf::train {

// What only splits have is kept for splits alone, in the order of their nodes. All numbers of nodes
// lie one behind the other.
struct FinishedTree {
  FinishedTree() = default;
  FinishedTree(FinishedTree&&) = default;
  FinishedTree& operator=(FinishedTree&&) = default;
  // Takes weights, values and gains out of the tree, which rows can still be sent down, and then
  // the rest of it. Shares of classes, in place of values, have single precision: ample, and half
  // the memory.
  // If its memory is not kept, it is returned on the way, so that a large tree is not there twice.
  FinishedTree(Tree& tree, bool has_shares, Memory of_tree, PageSize pages);
  void take_splits(Tree& tree, Memory of_tree);

  std::size_t size() const { return left.size(); }
  std::size_t n_splits() const { return threshold.size(); }
  bool only_features() const { return !features.empty(); }
  bool is_leaf(std::size_t node) const { return left[node] == 0; }
  Atom atom(std::size_t split) const {
    if (features.empty()) return atoms[split];
    return {AtomKind::sparse, {&features[split], 1}, {&kUnit, 1}};
  }

  // The leaves of all training rows, which are overwritten.
  void keep_leaves(std::span<std::int32_t> leaf_of_row);
  std::size_t n_rows() const { return leaves_.size(); }
  void copy_leaves_to(std::int32_t* out) const;
  // Calls visit(vector of the leaves of all rows).
  template <class Visit>
  void visit_leaves(const Visit& visit) const {
    if (!are_ranks_) return leaves_.visit(visit);
    std::vector<std::int32_t> leaves(n_rows());
    copy_leaves_to(leaves.data());
    visit(leaves);
  }
  void forget_leaves() { leaves_ = {}; }

  std::span<std::int32_t> left;  // of each node, as in Tree
  std::span<double> weight;
  std::span<float> rounded_weight;  // in its place if they are the same numbers, as counts are
  std::span<double> value;
  std::span<float> shares;
  std::span<double> threshold;  // of each split
  std::span<std::uint8_t> missing_left;
  std::span<float> gain;
  AtomList atoms;                    // of each split, unless all are single features:
  std::span<std::int32_t> features;  // these are nothing else
  Rotation rotation;
  SmallNumbers inbag;  // of every training row, if samples are kept
  PruningPath pruning_path;

 private:
  static constexpr float kUnit = 1.0F;

  TreeMemory memory_;       // of all spans
  SmallNumbers leaves_;     // of every training row, if samples are kept
  bool are_ranks_ = false;  // leaves are counted without the splits between them
};

}  // namespace mf::train
