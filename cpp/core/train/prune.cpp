#include "train/prune.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace mf::train {
namespace {

// The links of a tree, a link being a split with all that is below it, by effective alpha: what
// cutting one costs for each leaf that it saves. R(t) - R(T_t) is the sum of gains below t, so this
// needs nothing but gains.
class WeakestLinks {
 public:
  explicit WeakestLinks(const Tree& tree)
      : tree_(tree),
        parent_(tree.size(), -1),
        gain_below_(tree.size(), 0.0),
        leaves_below_(tree.size(), 1) {
    // Children always have larger indices than their parents.
    for (std::size_t node = tree.size(); node-- > 0;) {
      if (tree.is_leaf(node)) continue;
      const auto left = static_cast<std::size_t>(tree.left[node]);
      parent_[left] = parent_[left + 1] = static_cast<std::int32_t>(node);
      gain_below_[node] = tree.gain[node] + gain_below_[left] + gain_below_[left + 1];
      leaves_below_[node] = leaves_below_[left] + leaves_below_[left + 1];
    }
    // Nodes below an empty leaf that was joined with its sibling still exist, but cannot be
    // reached.
    std::vector<bool> reached(tree.size(), false);
    reached[0] = true;
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (!reached[node] || tree.is_leaf(node)) continue;
      links_.emplace(alpha(node), node);
      const auto left = static_cast<std::size_t>(tree.left[node]);
      reached[left] = reached[left + 1] = true;
    }
  }

  bool empty() const { return links_.empty(); }
  double weakest_alpha() const { return links_.begin()->first; }
  double gain_left() const { return gain_below_[0]; }  // of all splits that are not cut

  // Cuts the weakest link and returns its node, which is a leaf then.
  std::size_t cut_weakest() {
    const std::size_t weakest = links_.begin()->second;
    const double gain = gain_below_[weakest];
    const std::int64_t leaves = leaves_below_[weakest] - 1;
    forget_below(weakest);
    gain_below_[weakest] = 0.0;
    for (std::int32_t up = parent_[weakest]; up >= 0; up = parent_[static_cast<std::size_t>(up)]) {
      const auto node = static_cast<std::size_t>(up);
      links_.erase({alpha(node), node});
      gain_below_[node] -= gain;
      leaves_below_[node] -= leaves;
      links_.emplace(alpha(node), node);
    }
    return weakest;
  }

 private:
  double alpha(std::size_t node) const {
    return gain_below_[node] / static_cast<double>(leaves_below_[node] - 1);
  }

  void forget_below(std::size_t top) {
    std::vector<std::size_t> stack{top};
    while (!stack.empty()) {
      const std::size_t node = stack.back();
      stack.pop_back();
      if (leaves_below_[node] == 1) continue;
      links_.erase({alpha(node), node});
      leaves_below_[node] = 1;
      const auto left = static_cast<std::size_t>(tree_.left[node]);
      stack.push_back(left);
      stack.push_back(left + 1);
    }
  }

  const Tree& tree_;
  std::vector<std::int32_t> parent_;  // -1 for the root
  std::vector<double> gain_below_;
  std::vector<std::int64_t> leaves_below_;  // 1 for a leaf
  std::set<std::pair<double, std::size_t>> links_;
};

}  // namespace

void prune_cost_complexity(Tree& tree, double ccp_alpha) {
  if (ccp_alpha <= 0.0) return;
  std::vector<std::size_t> cut;
  for (WeakestLinks links(tree); !links.empty() && links.weakest_alpha() <= ccp_alpha;)
    cut.push_back(links.cut_weakest());
  for (const std::size_t node : cut) tree.make_leaf(node);
}

PruningPath pruning_path(const Tree& tree, double root_impurity) {
  WeakestLinks links(tree);
  // Rounding must not make an impurity negative.
  auto impurity = [&] { return std::max(0.0, root_impurity - links.gain_left()); };
  PruningPath path{{0.0}, {impurity()}};
  while (!links.empty()) {
    // Links of equal alpha are cut together. Alphas ascend, except for rounding.
    if (const double alpha = links.weakest_alpha(); alpha > path.alphas.back()) {
      path.alphas.push_back(alpha);
      path.impurities.push_back(path.impurities.back());
    }
    links.cut_weakest();
    path.impurities.back() = impurity();
  }
  return path;
}

void prune_empty_leaves(Tree& tree) {
  for (std::size_t node = tree.size(); node-- > 0;) {
    if (tree.is_leaf(node)) continue;
    const auto left = static_cast<std::size_t>(tree.left[node]);
    if (tree.weight[left] == 0.0 || tree.weight[left + 1] == 0.0) tree.make_leaf(node);
  }
}

void compact(Tree& tree, std::size_t value_width) {
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
  out.pruning_path = std::move(tree.pruning_path);
  for (const std::size_t node : kept) {
    const auto to = static_cast<std::size_t>(out.add_leaf(value_width));
    out.copy_node(tree, node, to, value_width);
    if (!tree.is_leaf(node)) out.left[to] = renumbered[static_cast<std::size_t>(tree.left[node])];
  }
  tree = std::move(out);
}

}  // namespace mf::train
