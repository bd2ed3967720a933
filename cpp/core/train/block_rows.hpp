// The rows of a subtree by their places in a block.
#pragma once

#include <span>
#include <vector>

#include "data/samples.hpp"
#include "train/growing_tree.hpp"

namespace mf::train {

// While a subtree is grown from a block, GrowingTree::order holds places in the block in place of
// rows: columns and samples of the block are then read where they are, and nothing is looked up for
// each row of each node. Blocks may lie in one another; what was in the order before, a row or a
// place in the outer block, is written back when the block is left.
class BlockRows {
 public:
  bool is_entered() const { return !outer_.empty(); }
  bool holds(const Slice& slice) const {
    return is_entered() && slice.begin >= slice_.begin && slice.end <= slice_.end;
  }
  // Makes the rows of a slice places. `samples` are those of the numbers that it holds; packed.
  void enter(Slice slice, std::span<Row> order, const RowSamples& samples);
  // Makes a part of the slice what it was before. It is left alone from now on: another worker may
  // write to it.
  void give(Slice part, std::span<Row> order);
  // Makes the rest of the slice what it was before.
  void leave(std::span<Row> order);
  // Forgets the block as it is, of a tree that was given up.
  void forget() { outer_.clear(); }
  // What was in the order before, of each place.
  std::span<const Row> outer() const { return outer_; }
  // Of the block, by places.
  const RowSamples& samples() const { return samples_; }

 private:
  void restore(std::span<Row> places) const;

  Slice slice_;
  PageVector<Row> outer_;  // empty if there is no block
  RowSamples samples_;
  std::vector<Slice> given_;
};

}  // namespace mf::train
