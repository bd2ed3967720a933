#include "train/growing_tree.hpp"

#include <algorithm>

namespace mf::train {
namespace {

// Numbers of nodes, each with its value, for which memory is reserved at most.
constexpr std::size_t kMostReserved = std::size_t{1} << 23;

// About how many nodes a tree of so many rows has if every split that may be made is made.
std::size_t most_nodes(const GrowOptions& options, std::size_t n_rows) {
  const auto least = static_cast<std::size_t>(std::max<std::int64_t>(options.min_samples_leaf, 1));
  std::size_t n_leaves = least > 1 ? 2 * n_rows / least : n_rows;
  if (options.max_depth >= 0 && options.max_depth < 31)
    n_leaves = std::min(n_leaves, std::size_t{1} << options.max_depth);
  if (options.max_leaf_nodes > 0)
    n_leaves = std::min(n_leaves, static_cast<std::size_t>(options.max_leaf_nodes));
  return 2 * n_leaves;
}

// Adds up what the part and all that were given by it hold.
void count(const Part& part, std::size_t& n_nodes, AtomList::Size& of_atoms) {
  const AtomList::Size atoms = part.tree.atoms.total();
  n_nodes += part.tree.size();
  of_atoms.atoms += atoms.atoms;
  of_atoms.ints += atoms.ints;
  of_atoms.weights += atoms.weights;
  for (const auto& [leaf, given] : part.given) count(*given, n_nodes, of_atoms);
}

}  // namespace

void reserve_most(Part& part, const GrowOptions& options, std::size_t n_rows,
                  std::size_t value_width) {
  const std::size_t n = most_nodes(options, n_rows);
  if (n * value_width <= kMostReserved) part.reserve(n, value_width, {n / 2, n / 2, n / 2});
}

void join_given(Part& part, std::size_t value_width) {
  if (part.given.empty()) return;
  struct Copy {
    Part* part;
    std::int32_t from, to;
  };
  Part whole;
  whole.tree.rotation = std::move(part.tree.rotation);
  whole.n_sums = part.n_sums;
  std::size_t n_nodes = 0;
  AtomList::Size of_atoms;
  count(part, n_nodes, of_atoms);
  whole.reserve(n_nodes, value_width, of_atoms);
  whole.tree.prefer_huge_pages();
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
