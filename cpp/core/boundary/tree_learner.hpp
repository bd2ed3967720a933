// Learning many examples in one tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "boundary/batch_walk.hpp"

namespace mf::boundary {

// First all rows walk through the tree as it is. Then they are learned one by one: the walk of each
// is updated where rows before it have added children. The result is that of one walk after the
// other, but most distances are measured for many rows at a time.
class TreeLearner {
 public:
  explicit TreeLearner(std::unique_ptr<DistanceComputer> computer)
      : computer_(std::move(computer)) {}

  // pass_of(i) returns what the walk of the i-th row calls at every node; arrive(i, end) may add
  // the row at the end.
  template <class PassOf, class Arrive>
  void learn(Tree& tree, std::span<const std::size_t> rows, InterruptCheck& interrupts,
             const PassOf& pass_of, const Arrive& arrive) {
    for (std::size_t begin = 0, n = 0; begin < rows.size(); begin += n) {
      n = std::min(rows.size() - begin, std::max<std::size_t>(1, kMostSteps / steps_per_row_));
      walk_together(tree, rows.subspan(begin, n), interrupts);
      for (std::size_t i = 0; i < n; ++i) {
        computer_->set_query_row(rows[begin + i]);
        distances_.start(*computer_);
        arrive(begin + i, updated_walk(tree, i, pass_of(begin + i), interrupts));
      }
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  // Steps that are recorded: 3 MB. In very deep trees fewer rows walk together. A walk whose steps
  // do not fit is continued alone from there.
  static constexpr std::size_t kMostSteps = std::size_t{1} << 17;

  void walk_together(const Tree& tree, std::span<const std::size_t> rows,
                     InterruptCheck& interrupts) {
    steps_.clear();
    n_steps_ = 0;
    first_.assign(rows.size(), kNone);
    last_.assign(rows.size(), kNone);
    walk_.run(
        tree, *computer_, rows, interrupts,
        [this](std::size_t i, const WalkStep& step) { note(i, step); }, NotMeasured());
    steps_per_row_ = 1 + n_steps_ / rows.size();
  }

  void note(std::size_t i, const WalkStep& step) {
    if (++n_steps_ > kMostSteps) return;
    const auto number = static_cast<std::uint32_t>(steps_.size());
    (first_[i] == kNone ? first_[i] : steps_[last_[i]].next) = number;
    last_[i] = number;
    steps_.push_back({step.proxy, step.list, step.n_children, step.nearest, kNone});
  }

  // The walk of row i, at every step also with the children that were added since.
  template <class Pass>
  Tree::Arrival updated_walk(const Tree& tree, std::size_t i, const Pass& pass,
                             InterruptCheck& interrupts) {
    Tree::Arrival here{{}, tree.root().slot, walk_.root_proxy(i)};
    pass(here.slot, here.proxy);
    for (std::uint32_t s = first_[i]; s != kNone; s = steps_[s].next) {
      const Step& seen = steps_[s];
      const auto children = tree.children(tree.at(here.place));
      std::uint32_t nearest = seen.nearest;
      double proxy = seen.proxy;
      for (std::uint32_t c = seen.n_children; c < children.size(); ++c) {
        const double later = distances_.proxy(children[c].slot);
        if (later >= proxy) continue;
        nearest = c;
        proxy = later;
      }
      if (children.size() < tree.max_children() && here.proxy < proxy) return here;
      here = {{seen.list, nearest}, children[nearest].slot, proxy};
      pass(here.slot, here.proxy);
      // From another child than before, or from the last recorded step, the walk is continued
      // alone.
      if (nearest != seen.nearest || seen.next == kNone) break;
    }
    return tree.walk_on(here, distances_, [&](Slot slot, double proxy) {
      pass(slot, proxy);
      interrupts.poll_after(1);
    });
  }

  struct Step {
    double proxy;
    std::uint32_t list, n_children, nearest;  // as in WalkStep
    std::uint32_t next;                       // of the same row
  };
  std::unique_ptr<DistanceComputer> computer_;
  DirectDistances distances_;
  BatchWalk walk_;
  std::vector<Step> steps_;
  std::size_t n_steps_ = 0, steps_per_row_ = 1;  // of the last rows
  std::vector<std::uint32_t> first_, last_;      // per row
};

}  // namespace mf::boundary
