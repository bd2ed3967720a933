#include "train/growing_tree.hpp"

namespace mf::train {

void join_given(Part& part, std::size_t value_width) {
  if (part.given.empty()) return;
  struct Copy {
    Part* part;
    std::int32_t from, to;
  };
  Part whole;
  whole.tree.rotation = std::move(part.tree.rotation);
  whole.n_sums = part.n_sums;
  whole.add_leaf(value_width, part.slices[0]);
  std::vector<Copy> stack{{&part, 0, 0}};
  while (!stack.empty()) {
    Copy next = stack.back();
    stack.pop_back();
    if (const auto found = next.part->given.find(next.from); found != next.part->given.end()) {
      next.part = found->second.get();
      next.from = 0;
    }
    const auto from = static_cast<std::size_t>(next.from), to = static_cast<std::size_t>(next.to);
    const Tree& tree = next.part->tree;
    whole.tree.copy_node(tree, from, to, value_width);
    std::copy_n(next.part->sums_of(from), whole.n_sums, whole.sums_of(to));
    if (tree.is_leaf(from)) continue;
    const std::int32_t left = tree.left[from];
    auto slice_of = [&](std::int32_t node) {
      return next.part->slices[static_cast<std::size_t>(node)];
    };
    const std::int32_t new_left = whole.add_leaf(value_width, slice_of(left));
    const std::int32_t new_right = whole.add_leaf(value_width, slice_of(left + 1));
    whole.tree.left[to] = new_left;
    stack.push_back({next.part, left + 1, new_right});
    stack.push_back({next.part, left, new_left});
  }
  part = std::move(whole);
}

}  // namespace mf::train
