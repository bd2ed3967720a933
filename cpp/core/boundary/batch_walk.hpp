// Walks of many queries through one tree together.
//
// Queries at the same node are compared with its children at the same time: a child is read from
// memory once for all of them, and the distances are a product of two matrices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/parallel.hpp"
#include "boundary/tree.hpp"

namespace mf::boundary {

// What a query saw at one node that has children.
struct WalkStep {
  std::uint32_t list = Tree::kLeaf;  // the children
  std::uint32_t n_children = 0;
  std::uint32_t nearest = 0;  // position of the nearest child
  double proxy = 0.0;         // its proxy
};

// For walks of which nobody wants to know the distances.
struct NotMeasured {
  void operator()(std::size_t, Slot, double) const {}
};

class BatchWalk {
 public:
  // Walks rows of the computer from the root to their ends. Calls step(i, WalkStep) at each node
  // with children that the i-th row reaches, and measured(i, slot, proxy) for every distance. With
  // NotMeasured only those are computed without which the nearest child is not known.
  template <class Step, class Measured>
  void run(const Tree& tree, DistanceComputer& computer, std::span<const std::size_t> rows,
           InterruptCheck& interrupts, const Step& step, const Measured& measured);

  const Tree::Arrival& end(std::size_t i) const { return here_[i]; }
  double root_proxy(std::size_t i) const { return root_proxies_[i]; }

 private:
  using Child = Tree::Child;
  using Place = Tree::Place;

  struct Group {
    Child node;
    std::size_t begin, end;  // in order_
  };

  void start(const Tree& tree, DistanceComputer& computer, std::span<const std::size_t> rows);
  template <class Measured>
  void find_nearest(std::span<const Child> children, const Group& group, DistanceComputer& computer,
                    std::span<const std::size_t> rows, const Measured& measured);
  void part(std::span<const Child> children, const Group& group);

  std::vector<Tree::Arrival> here_;            // per row
  std::vector<double> root_proxies_;           // per row
  std::vector<std::uint32_t> order_, parted_;  // rows, those at one node side by side
  std::vector<std::uint32_t> nearest_;         // per row: position of the nearest child
  std::vector<double> least_;                  // its proxy
  std::vector<Group> stack_;
  std::vector<std::size_t> counts_;
  std::vector<std::size_t> group_rows_;       // of the group at hand
  std::vector<distances::NearestRow> found_;  // for each of them
  std::vector<Slot> slots_;
};

template <class Step, class Measured>
void BatchWalk::run(const Tree& tree, DistanceComputer& computer, std::span<const std::size_t> rows,
                    InterruptCheck& interrupts, const Step& step, const Measured& measured) {
  start(tree, computer, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) measured(i, here_[i].slot, here_[i].proxy);
  while (!stack_.empty()) {
    const Group group = stack_.back();
    stack_.pop_back();
    const std::span<const Child> children = tree.children(group.node);
    if (children.empty()) continue;
    find_nearest(children, group, computer, rows, measured);
    const auto n_children = static_cast<std::uint32_t>(children.size());
    const bool may_stay = n_children < tree.max_children();
    for (std::size_t k = group.begin; k < group.end; ++k) {
      const std::uint32_t i = order_[k];
      step(i, WalkStep{group.node.list, n_children, nearest_[i], least_[i]});
      if (may_stay && here_[i].proxy < least_[i])
        nearest_[i] = n_children;  // it stays
      else
        here_[i] = {{group.node.list, nearest_[i]}, children[nearest_[i]].slot, least_[i]};
    }
    part(children, group);
    interrupts.poll_after((group.end - group.begin) * n_children);
  }
}

template <class Measured>
void BatchWalk::find_nearest(std::span<const Child> children, const Group& group,
                             DistanceComputer& computer, std::span<const std::size_t> rows,
                             const Measured& measured) {
  const std::size_t n = group.end - group.begin;
  slots_.resize(children.size());
  for (std::size_t j = 0; j < children.size(); ++j) slots_[j] = children[j].slot;
  group_rows_.resize(n);
  for (std::size_t k = 0; k < n; ++k) group_rows_[k] = rows[order_[group.begin + k]];
  found_.resize(n);
  if constexpr (std::is_same_v<Measured, NotMeasured>)
    computer.find_nearest(group_rows_, slots_, found_.data());
  else
    computer.find_nearest(group_rows_, slots_, found_.data(),
                          [&](std::size_t k, std::size_t j, double proxy) {
                            measured(order_[group.begin + k], slots_[j], proxy);
                          });
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t i = order_[group.begin + k];
    nearest_[i] = found_[k].position;
    least_[i] = found_[k].proxy;
  }
}

}  // namespace mf::boundary
