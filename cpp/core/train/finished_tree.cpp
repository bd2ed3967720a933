#include "train/finished_tree.hpp"

#include <algorithm>
#include <utility>

namespace mf::train {
namespace {

bool is_single_feature(const Atom& atom) {
  return atom.kind == AtomKind::sparse && atom.ints.size() == 1 && atom.weights.size() == 1 &&
         atom.weights[0] == 1.0F;
}

bool is_float(double number) { return static_cast<double>(static_cast<float>(number)) == number; }

}  // namespace

FinishedTree::FinishedTree(Tree& tree, bool has_shares, Memory of_tree)
    : rotation(std::move(tree.rotation)), pruning_path(std::move(tree.pruning_path)) {
  if (has_shares)
    shares.assign(tree.value.begin(), tree.value.end());
  else
    value.assign(tree.value.begin(), tree.value.end());
  empty(tree.value, of_tree);
  if (std::all_of(tree.weight.begin(), tree.weight.end(), is_float))
    rounded_weight.assign(tree.weight.begin(), tree.weight.end());
  else
    weight.assign(tree.weight.begin(), tree.weight.end());
  empty(tree.weight, of_tree);
  gain.reserve((tree.size() - 1) / 2);
  for (std::size_t node = 0; node < tree.size(); ++node)
    if (!tree.is_leaf(node)) gain.push_back(static_cast<float>(tree.gain[node]));
  empty(tree.gain, of_tree);
}

void FinishedTree::take_splits(Tree& tree, Memory of_tree) {
  const std::size_t n = gain.size();
  const auto for_splits = [&](const auto& visit) {
    for (std::size_t node = 0; node < tree.size(); ++node)
      if (!tree.is_leaf(node)) visit(node);
  };
  const auto atom_of = [&](std::size_t node) {
    return tree.atoms[static_cast<std::size_t>(tree.atom[node])];
  };
  threshold.reserve(n);
  for_splits([&](std::size_t node) { threshold.push_back(tree.threshold[node]); });
  empty(tree.threshold, of_tree);
  missing_left.reserve(n);
  for_splits([&](std::size_t node) { missing_left.push_back(tree.missing_left[node]); });
  bool only_features = true;
  for_splits(
      [&](std::size_t node) { only_features = only_features && is_single_feature(atom_of(node)); });
  if (only_features) {
    features.reserve(n);
    for_splits([&](std::size_t node) { features.push_back(atom_of(node).ints[0]); });
  } else {
    atoms.reserve(tree.atoms.total());
    for_splits([&](std::size_t node) { atoms.push(atom_of(node)); });
  }
  left.assign(tree.left.begin(), tree.left.end());
  tree.clear(of_tree);
}

// Leaves of a tree of many nodes may have room in 16 bits where nodes have not.
void FinishedTree::keep_leaves(std::span<std::int32_t> leaf_of_row) {
  const std::size_t n_leaves = size() - n_splits();
  are_ranks_ = size() > SmallNumbers::kMost16 && n_leaves <= SmallNumbers::kMost16;
  if (are_ranks_) {
    std::vector<std::int32_t> rank(size());
    std::int32_t n = 0;
    for (std::size_t node = 0; node < size(); ++node) rank[node] = is_leaf(node) ? n++ : 0;
    for (std::int32_t& leaf : leaf_of_row) leaf = rank[static_cast<std::size_t>(leaf)];
  }
  leaves_ = SmallNumbers(leaf_of_row);
}

void FinishedTree::copy_leaves_to(std::int32_t* out) const {
  leaves_.copy_to(out);
  if (!are_ranks_) return;
  std::vector<std::int32_t> node_of;
  for (std::size_t node = 0; node < size(); ++node)
    if (is_leaf(node)) node_of.push_back(static_cast<std::int32_t>(node));
  for (std::size_t i = 0; i < n_rows(); ++i) out[i] = node_of[static_cast<std::size_t>(out[i])];
}

}  // namespace mf::train
