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
void list_splits(const Tree& tree, const Of& of, std::span<T> out) {
  std::size_t n = 0;
  for (std::size_t node = 0; n < out.size(); ++node) {
    out[n] = of(node);  // written again if it is a leaf
    n += tree.is_leaf(node) ? 0 : 1;
  }
}

bool has_only_features(const AtomList& atoms) {
  for (std::size_t a = 0; a < atoms.size(); ++a)
    if (!is_single_feature(atoms[a])) return false;
  return true;
}

bool is_float(double number) { return static_cast<double>(static_cast<float>(number)) == number; }

}  // namespace

FinishedTree::FinishedTree(Tree& tree, bool has_shares, Memory of_tree, PageSize pages)
    : rotation(std::move(tree.rotation)), pruning_path(std::move(tree.pruning_path)) {
  const std::size_t n = tree.size(), n_splits = (n - 1) / 2, n_values = tree.value.size();
  const bool round = std::all_of(tree.weight.begin(), tree.weight.end(), is_float);
  const std::size_t n_features = has_only_features(tree.atoms) ? n_splits : 0;
  const auto bytes = [](auto number, std::size_t count) {
    return TreeMemory::bytes<decltype(number)>(count);
  };
  memory_ = TreeMemory(bytes(std::int32_t{}, n) + bytes(0.0, round ? 0 : n) +
                           bytes(0.0F, round ? n : 0) + bytes(0.0, has_shares ? 0 : n_values) +
                           bytes(0.0F, has_shares ? n_values : 0) + bytes(0.0, n_splits) +
                           bytes(std::uint8_t{}, n_splits) + bytes(0.0F, n_splits) +
                           bytes(std::int32_t{}, n_features),
                       pages);
  shares = memory_.take<float>(has_shares ? n_values : 0);
  value = memory_.take<double>(has_shares ? 0 : n_values);
  if (has_shares)
    std::transform(tree.value.begin(), tree.value.end(), shares.begin(),
                   [](double share) { return static_cast<float>(share); });
  else
    std::copy(tree.value.begin(), tree.value.end(), value.begin());
  empty(tree.value, of_tree);
  rounded_weight = memory_.take<float>(round ? n : 0);
  weight = memory_.take<double>(round ? 0 : n);
  if (round)
    std::transform(tree.weight.begin(), tree.weight.end(), rounded_weight.begin(),
                   [](double number) { return static_cast<float>(number); });
  else
    std::copy(tree.weight.begin(), tree.weight.end(), weight.begin());
  empty(tree.weight, of_tree);
  gain = memory_.take<float>(n_splits);
  list_splits(tree, [&](std::size_t node) { return static_cast<float>(tree.gain[node]); }, gain);
  empty(tree.gain, of_tree);
  threshold = memory_.take<double>(n_splits);
  missing_left = memory_.take<std::uint8_t>(n_splits);
  features = memory_.take<std::int32_t>(n_features);
  left = memory_.take<std::int32_t>(n);
}

void FinishedTree::take_splits(Tree& tree, Memory of_tree) {
  list_splits(tree, [&](std::size_t node) { return tree.threshold[node]; }, threshold);
  empty(tree.threshold, of_tree);
  list_splits(tree, [&](std::size_t node) { return tree.missing_left[node]; }, missing_left);
  const AtomList& all = tree.atoms;
  if (only_features()) {
    // A leaf has no atom: what is read in place of it is written again.
    const auto feature_of = [&](std::size_t node) {
      return all.ints[static_cast<std::size_t>(std::max(tree.atom[node], 0))];
    };
    list_splits(tree, feature_of, features);
  } else {
    atoms.reserve(all.total());
    for (std::size_t node = 0; node < tree.size(); ++node)
      if (!tree.is_leaf(node)) atoms.push(all[static_cast<std::size_t>(tree.atom[node])]);
  }
  std::copy(tree.left.begin(), tree.left.end(), left.begin());
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
  leaves_ =
      SmallNumbers(leaf_of_row, static_cast<std::int32_t>(are_ranks_ ? n_leaves : size()) - 1);
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
