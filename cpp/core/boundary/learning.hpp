// One call to learn, which happens as a whole or not at all.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "boundary/forest.hpp"

namespace mf {

class Learning {
 public:
  Learning(BoundaryForest& forest, const BoundaryBatch& batch, const BoundaryTools& tools);

  // Shows rows of the batch to all trees, in this order; returns how many nodes were added. Rows
  // that are shown `again` are not added where a walk ends in the same place and has met their like
  // there: two examples in one place with different labels would take turns for ever.
  std::size_t show(std::span<const std::size_t> order, bool again);

  void undo();

 private:
  void show_some(std::span<const std::size_t> rows, bool again);
  std::span<const std::size_t> take_starts(std::span<const std::size_t> rows);
  void show_to_all_trees(std::size_t row, bool again);
  // Adds the row where its walk ended, unless it is like what is there.
  void settle(std::size_t tree, std::size_t row, const BoundaryTree::Arrival& end,
              bool met_its_like_here);
  // What to do with a node that a walk passes.
  auto look_for_like(Slot slot, bool again, bool& met) const {
    return [this, slot, again, &met](Slot passed, double rank) {
      if (again && rank == 0.0) met |= forest_.alike(passed, slot);
    };
  }
  void forget(std::size_t row);

  BoundaryForest& forest_;
  const BoundaryBatch& batch_;
  const BoundaryTools& tools_;
  std::unique_ptr<MovableRuler> ruler_;
  SharedDistances distances_;
  std::vector<Slot> slot_of_row_;
  struct Added {
    std::size_t row;
    BoundaryTree::Place parent;
  };
  std::vector<std::vector<Added>> added_;  // per tree

  // What there was before.
  std::int64_t n_seen_;
  bool was_starting_;
  std::vector<BoundaryTree> old_trees_;  // only while starting: a few small ones
  std::vector<Slot> old_starts_;
};

}  // namespace mf
