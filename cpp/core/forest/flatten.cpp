#include "forest/flatten.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/freed_memory.hpp"

namespace mf::train {
namespace {

// Returns freed memory to the system whenever enough has accumulated: otherwise the process would
// hold both forms of a forest.
class FreedMemory {
 public:
  void add(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ < kMuch) return;
    bytes_ = 0;
    return_freed_memory();
  }

 private:
  static constexpr std::size_t kMuch = std::size_t{6} << 20;

  std::size_t bytes_ = 0;
};

// Concatenates one member of all trees and frees it there.
template <class T, class Member>
LargeVector<T> join(std::vector<FinishedTree>& trees, Member member, FreedMemory& freed) {
  std::size_t size = 0;
  for (FinishedTree& tree : trees) size += std::invoke(member, tree).size();
  LargeVector<T> out;
  out.reserve(size);
  for (FinishedTree& tree : trees) {
    const auto from = std::move(std::invoke(member, tree));
    out.insert(out.end(), from.begin(), from.end());
  }
  freed.add(size * sizeof(T));
  return out;
}

std::size_t count_nodes(const std::vector<FinishedTree>& trees) {
  std::size_t n = 0;
  for (const FinishedTree& tree : trees) n += tree.size();
  return n;
}

// The same for a member that only splits have; it is zero in leaves.
template <class T>
LargeVector<T> join_splits(std::vector<FinishedTree>& trees, LargeVector<T> FinishedTree::* member,
                           FreedMemory& freed) {
  LargeVector<T> out;
  out.reserve(count_nodes(trees));
  for (FinishedTree& tree : trees) {
    const LargeVector<T> from = std::move(tree.*member);
    std::size_t split = 0;
    for (std::size_t node = 0; node < tree.size(); ++node)
      out.push_back(tree.is_leaf(node) ? T{} : from[split++]);
  }
  freed.add(out.size() * sizeof(T));
  return out;
}

LargeVector<std::uint8_t> kinds_of(const std::vector<FinishedTree>& trees) {
  LargeVector<std::uint8_t> out;
  out.reserve(count_nodes(trees));
  for (const FinishedTree& tree : trees)
    for (std::size_t node = 0; node < tree.size(); ++node)
      out.push_back(
          static_cast<std::uint8_t>(tree.is_leaf(node) ? NodeKind::leaf : NodeKind::numeric));
  return out;
}

// The same for how often training rows were drawn.
template <class T>
LargeVector<T> join_bags(std::vector<FinishedTree>& trees, FreedMemory& freed) {
  std::size_t size = 0;
  for (const FinishedTree& tree : trees) size += tree.inbag.size();
  LargeVector<T> out;
  out.reserve(size);
  for (FinishedTree& tree : trees) {
    tree.inbag.append_to(out);
    tree.inbag = {};
  }
  freed.add(size);
  return out;
}

LargeVector<std::int32_t> join_leaves(std::vector<FinishedTree>& trees, FreedMemory& freed) {
  std::size_t size = 0;
  for (const FinishedTree& tree : trees) size += tree.n_rows();
  LargeVector<std::int32_t> out;
  out.reserve(size);
  for (FinishedTree& tree : trees) {
    tree.append_leaves_to(out);
    tree.forget_leaves();
  }
  freed.add(size);
  return out;
}

template <class V>
void append(std::span<const V> numbers, LargeVector<V>& out) {
  if (numbers.size() == 1)  // most atoms: no call
    out.push_back(numbers[0]);
  else
    out.insert(out.end(), numbers.begin(), numbers.end());
}

// Atoms are stored per split; the flat form has one (possibly empty) entry per node, in node order.
void join_atoms(std::vector<FinishedTree>& trees, FlatArrays& out, FreedMemory& freed) {
  std::size_t n_ints = 0, n_weights = 0;
  for (const FinishedTree& tree : trees) {
    n_ints += tree.atoms.ints.size() + tree.features.size();
    n_weights += tree.atoms.weights.size() + tree.features.size();
  }
  const std::size_t n_nodes = count_nodes(trees);
  out.atom_kind.reserve(n_nodes);
  out.atom_offsets.reserve(n_nodes + 1);
  out.weight_offsets.reserve(n_nodes + 1);
  out.atom_ints.reserve(n_ints);
  out.atom_weights.reserve(n_weights);
  out.atom_offsets.push_back(0);
  out.weight_offsets.push_back(0);
  for (FinishedTree& tree : trees) {
    std::size_t split = 0;
    for (std::size_t node = 0; node < tree.size(); ++node) {
      AtomKind kind{};
      if (!tree.is_leaf(node)) {
        const Atom atom = tree.atom(split++);
        kind = atom.kind;
        append(atom.ints, out.atom_ints);
        append(atom.weights, out.atom_weights);
      }
      out.atom_kind.push_back(static_cast<std::uint8_t>(kind));
      out.atom_offsets.push_back(static_cast<std::int64_t>(out.atom_ints.size()));
      out.weight_offsets.push_back(static_cast<std::int64_t>(out.atom_weights.size()));
    }
    tree.atoms = AtomList{};
    tree.features = LargeVector<std::int32_t>();
  }
  freed.add(n_ints * sizeof(std::int32_t) + n_weights * sizeof(float));
}

// The paths of all trees one after the other.
void join_pruning_paths(std::vector<FinishedTree>& trees, FlatArrays& out, FreedMemory& freed) {
  out.path_offsets.push_back(0);
  for (const FinishedTree& tree : trees)
    out.path_offsets.push_back(out.path_offsets.back() +
                               static_cast<std::int64_t>(tree.pruning_path.alphas.size()));
  out.path_alphas =
      join<double>(trees, [](FinishedTree& t) -> auto& { return t.pruning_path.alphas; }, freed);
  out.path_impurities = join<double>(
      trees, [](FinishedTree& t) -> auto& { return t.pruning_path.impurities; }, freed);
}

}  // namespace

FlatArrays flatten(std::vector<FinishedTree> trees) {
  FlatArrays out;
  FreedMemory freed;
  out.tree_offsets.push_back(0);
  for (const FinishedTree& tree : trees)
    out.tree_offsets.push_back(out.tree_offsets.back() + static_cast<std::int64_t>(tree.size()));
  // All that asks which nodes are leaves, or how many there are, comes before `left`.
  out.leaf_of_row = join_leaves(trees, freed);
  int bits = 8;
  for (const FinishedTree& tree : trees) bits = std::max(bits, tree.inbag.bits());
  if (bits == 8)
    out.inbag = join_bags<std::int8_t>(trees, freed);
  else if (bits == 16)
    out.inbag = join_bags<std::int16_t>(trees, freed);
  else
    out.inbag = join_bags<std::int32_t>(trees, freed);
  join_atoms(trees, out, freed);
  out.kind = kinds_of(trees);
  out.threshold = join_splits(trees, &FinishedTree::threshold, freed);
  out.missing_left = join_splits(trees, &FinishedTree::missing_left, freed);
  out.gain = join_splits(trees, &FinishedTree::gain, freed);
  out.left = join<std::int32_t>(trees, &FinishedTree::left, freed);
  out.weight = join<double>(trees, &FinishedTree::weight, freed);
  out.shares = join<float>(trees, &FinishedTree::shares, freed);
  out.means = join<double>(trees, &FinishedTree::value, freed);
  if (!trees.empty()) out.rotation_size = trees[0].rotation.dims.size();
  out.rotation_dims =
      join<std::int32_t>(trees, [](FinishedTree& t) -> auto& { return t.rotation.dims; }, freed);
  out.rotations =
      join<float>(trees, [](FinishedTree& t) -> auto& { return t.rotation.matrix; }, freed);
  join_pruning_paths(trees, out, freed);
  return out;
}

}  // namespace mf::train
