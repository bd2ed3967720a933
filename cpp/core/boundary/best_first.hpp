// The search for neighbours: nearest points first.
//
// The trees of an index together are a graph: in each of them a point is joined to its parent and
// to its children, which are near it. A search begins at the roots and goes on from the nearest
// point that it has met: it measures the neighbours of that point in all trees.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "base/interrupt.hpp"
#include "boundary/distances.hpp"
#include "boundary/state.hpp"
#include "boundary/top_k.hpp"

namespace mf::boundary {

// Measures points until there are `effort` of them, or all. They depend on nothing but the trees
// and the order of arrival, which decides between points at the same distance.
inline void search_best_first(const State& state, std::size_t effort, SharedDistances& distances,
                              InterruptCheck& interrupts) {
  const std::vector<Tree>& trees = state.trees.all;
  std::vector<TopK::Entry> open;  // a heap: points whose neighbours were not measured yet
  auto note = [&](Slot slot) {
    if (distances.measured().size() < effort) distances.note(slot);
  };
  auto measure = [&] {
    const auto fresh = distances.measure_noted();
    for (const Slot slot : fresh) {
      open.push_back({distances.known_proxy(slot), state.points().arrival(slot), slot});
      std::push_heap(open.begin(), open.end(), std::greater<>());
    }
    interrupts.poll_after(1 + fresh.size());
  };
  for (const Tree& tree : trees) note(tree.root().slot);
  measure();
  while (!open.empty() && distances.measured().size() < effort) {
    std::pop_heap(open.begin(), open.end(), std::greater<>());
    const Slot nearest = open.back().slot;
    open.pop_back();
    for (const Tree& tree : trees) tree.fetch_link(nearest);
    for (const Tree& tree : trees) tree.fetch_list(nearest);
    for (const Tree& tree : trees) tree.fetch_children(nearest);
    for (const Tree& tree : trees) tree.visit_neighbours(nearest, note);
    measure();
  }
}

}  // namespace mf::boundary
