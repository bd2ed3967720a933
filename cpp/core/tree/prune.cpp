#include "tree/prune.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace mf::train {
namespace {

// Parent of every node, -1 for the root. Children always have larger indices than their parents.
std::vector<std::int32_t> parents_of(const Tree& tree) {
  std::vector<std::int32_t> parent(tree.size(), -1);
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.is_leaf(node)) continue;
    const auto left = static_cast<std::size_t>(tree.left[node]);
    parent[left] = parent[left + 1] = static_cast<std::int32_t>(node);
  }
  return parent;
}

}  // namespace

void prune_cost_complexity(Tree& tree, double ccp_alpha) {
  if (ccp_alpha <= 0.0) return;
  const std::vector<std::int32_t> parent = parents_of(tree);
  // R(t) - R(T_t) is the sum of gains below t, so the effective alpha needs nothing but gains.
  std::vector<double> gain_below(tree.size(), 0.0);
  std::vector<std::int64_t> leaves_below(tree.size(), 1);
  for (std::size_t node = tree.size(); node-- > 0;) {
    if (tree.is_leaf(node)) continue;
    const auto left = static_cast<std::size_t>(tree.left[node]);
    gain_below[node] = tree.gain[node] + gain_below[left] + gain_below[left + 1];
    leaves_below[node] = leaves_below[left] + leaves_below[left + 1];
  }
  auto alpha = [&](std::size_t node) {
    return gain_below[node] / static_cast<double>(leaves_below[node] - 1);
  };
  std::set<std::pair<double, std::size_t>> links;
  for (std::size_t node = 0; node < tree.size(); ++node)
    if (!tree.is_leaf(node)) links.emplace(alpha(node), node);

  auto drop_below = [&](std::size_t top) {
    std::vector<std::size_t> stack{top};
    while (!stack.empty()) {
      const std::size_t node = stack.back();
      stack.pop_back();
      if (tree.is_leaf(node)) continue;
      links.erase({alpha(node), node});
      const auto left = static_cast<std::size_t>(tree.left[node]);
      stack.push_back(left);
      stack.push_back(left + 1);
      tree.make_leaf(node);
    }
  };
  while (!links.empty() && links.begin()->first <= ccp_alpha) {
    const std::size_t weakest = links.begin()->second;
    const double gain = gain_below[weakest];
    const std::int64_t leaves = leaves_below[weakest] - 1;
    drop_below(weakest);
    gain_below[weakest] = 0.0;
    leaves_below[weakest] = 1;
    for (std::int32_t up = parent[weakest]; up >= 0; up = parent[static_cast<std::size_t>(up)]) {
      const auto node = static_cast<std::size_t>(up);
      links.erase({alpha(node), node});
      gain_below[node] -= gain;
      leaves_below[node] -= leaves;
      links.emplace(alpha(node), node);
    }
  }
}

void prune_empty_leaves(Tree& tree) {
  for (std::size_t node = tree.size(); node-- > 0;) {
    if (tree.is_leaf(node)) continue;
    const auto left = static_cast<std::size_t>(tree.left[node]);
    if (tree.weight[left] == 0.0 || tree.weight[left + 1] == 0.0) tree.make_leaf(node);
  }
}

void compact(Tree& tree, std::size_t block) {
  std::vector<std::int32_t> renumbered(tree.size(), -1);
  std::vector<std::size_t> kept{0};
  renumbered[0] = 0;
  for (std::size_t at = 0; at < kept.size(); ++at) {
    const std::size_t node = kept[at];
    if (tree.is_leaf(node)) continue;
    const auto left = static_cast<std::size_t>(tree.left[node]);
    for (const std::size_t child : {left, left + 1}) {
      renumbered[child] = static_cast<std::int32_t>(kept.size());
      kept.push_back(child);
    }
  }
  if (kept.size() == tree.size()) return;
  Tree out;
  out.rotation = std::move(tree.rotation);
  for (const std::size_t node : kept) {
    const auto to = static_cast<std::size_t>(out.add_leaf(block));
    out.copy_node(tree, node, to, block);
    if (!tree.is_leaf(node)) out.left[to] = renumbered[static_cast<std::size_t>(tree.left[node])];
  }
  tree = std::move(out);
}

}  // namespace mf::train
