#include "train/finished_tree.hpp"

#include <algorithm>
#include <utility>

namespace mf::train {
namespace {

bool is_single_feature(const Atom& atom) {
  return atom.kind == AtomKind::sparse && atom.ints.size() == 1 && atom.weights.size() == 1 &&
         atom.weights[0] == 1.0F;
}

// What each split has, in the order of nodes. Without branches, as every other node is a split.
template <class Of, class T>
void list_splits(const Tree& tree, const Of& of, LargeVector<T>& out) {
  const std::size_t n_splits = (tree.size() - 1) / 2;
  out.resize(n_splits);
  std::size_t n = 0;
  for (std::size_t node = 0; n < n_splits; ++node) {
    out[n] = of(node);  // written again if it is a leaf
    n += tree.is_leaf(node) ? 0 : 1;
  }
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
  list_splits(tree, [&](std::size_t node) { return static_cast<float>(tree.gain[node]); }, gain);
  empty(tree.gain, of_tree);
}

void FinishedTree::take_splits(Tree& tree, Memory of_tree) {
  list_splits(tree, [&](std::size_t node) { return tree.threshold[node]; }, threshold);
  empty(tree.threshold, of_tree);
  list_splits(tree, [&](std::size_t node) { return tree.missing_left[node]; }, missing_left);
  // Atoms that are single features are as many numbers.
  const AtomList& all = tree.atoms;
  bool only_features = true;
  for (std::size_t a = 0; a < all.size() && only_features; ++a)
    only_features = is_single_feature(all[a]);
  if (only_features) {
    // A leaf has no atom: what is read of it in place of one is overwritten.
    const auto feature_of = [&](std::size_t node) {
      return all.ints[static_cast<std::size_t>(std::max(tree.atom[node], 0))];
    };
    list_splits(tree, feature_of, features);
  } else {
    atoms.reserve(all.total());
    for (std::size_t node = 0; node < tree.size(); ++node)
      if (!tree.is_leaf(node)) atoms.push(all[static_cast<std::size_t>(tree.atom[node])]);
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
