// Many examples learned by one tree.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "boundary/batch_walk.hpp"

namespace mf {

// All rows walk through the tree as it is; then each learns in its turn, and its walk is mended
// where rows before it have changed the tree. The result is that of one walk after the other, but
// most distances are measured for many rows at a time.
class TreeLearner {
 public:
  explicit TreeLearner(std::unique_ptr<MovableRuler> ruler) : ruler_(std::move(ruler)) {}

  // pass_of(i) is what walks of the i-th row call at every node, settle(i, end) may add it there.
  template <class PassOf, class Settle>
  void show(BoundaryTree& tree, std::span<const std::size_t> rows, const PassOf& pass_of,
            const Settle& settle) {
    steps_.clear();
    first_.assign(rows.size(), kNone);
    last_.assign(rows.size(), kNone);
    walk_.run(
        tree, *ruler_, rows, [this](std::size_t i, const WalkStep& step) { note(i, step); },
        [](std::size_t, Slot, double) {});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ruler_->to_row(rows[i]);
      distances_.start(*ruler_);
      settle(i, mended(tree, i, pass_of(i)));
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  void note(std::size_t i, const WalkStep& step) {
    const auto number = static_cast<std::uint32_t>(steps_.size());
    (first_[i] == kNone ? first_[i] : steps_[last_[i]].next) = number;
    last_[i] = number;
    steps_.push_back({step, kNone});
  }

  // The way of row i, at every step with the children that have come since.
  template <class Pass>
  BoundaryTree::Arrival mended(const BoundaryTree& tree, std::size_t i, const Pass& pass) {
    BoundaryTree::Arrival here{{}, tree.root().slot, walk_.root_rank(i)};
    pass(here.slot, here.rank);
    for (std::uint32_t s = first_[i]; s != kNone; s = steps_[s].next) {
      const WalkStep& seen = steps_[s].step;
      const auto children = tree.children(tree.at(here.place));
      std::uint32_t nearest = seen.nearest;
      double rank = seen.rank;
      for (std::uint32_t c = seen.n_children; c < children.size(); ++c) {
        const double later = distances_.rank(children[c].slot);
        if (later >= rank) continue;
        nearest = c;
        rank = later;
      }
      if (children.size() < tree.max_children() && here.rank < rank) return here;
      here = {{seen.list, nearest}, children[nearest].slot, rank};
      pass(here.slot, here.rank);
      // From a child that it did not come to before, or had not left, the walk goes on anew.
      if (nearest != seen.nearest || steps_[s].next == kNone) break;
    }
    return tree.walk_on(here, distances_, pass);
  }

  struct Linked {
    WalkStep step;
    std::uint32_t next;  // of the same row
  };
  std::unique_ptr<MovableRuler> ruler_;
  DirectDistances distances_;
  BatchWalk walk_;
  std::vector<Linked> steps_;
  std::vector<std::uint32_t> first_, last_;  // per row
};

}  // namespace mf
