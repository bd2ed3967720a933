#include "forest/flatten.hpp"

#include <functional>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace mf::train {
namespace {

// Gives freed memory back to the system, if it is so much that it matters: otherwise the process
// would hold both forms of a forest.
void return_memory([[maybe_unused]] std::size_t bytes) {
#if defined(__GLIBC__)
  constexpr std::size_t kMuch = std::size_t{16} << 20;
  if (bytes >= kMuch) malloc_trim(0);
#endif
}

// Concatenates one member of all trees and frees it there.
template <class Out, class Member>
std::vector<Out> join(std::vector<Tree>& trees, Member member) {
  std::size_t size = 0;
  for (Tree& tree : trees) size += std::invoke(member, tree).size();
  std::vector<Out> out;
  out.reserve(size);
  for (Tree& tree : trees) {
    auto from = std::move(std::invoke(member, tree));
    for (const auto& x : from) out.push_back(static_cast<Out>(x));
  }
  return_memory(size * sizeof(Out));
  return out;
}

// The same for numbers of training rows.
std::vector<std::int32_t> join_rows(std::vector<Tree>& trees, SmallNumbers Tree::* member) {
  std::size_t size = 0;
  for (const Tree& tree : trees) size += (tree.*member).size();
  std::vector<std::int32_t> out;
  out.reserve(size);
  for (Tree& tree : trees) {
    (tree.*member).append_to(out);
    tree.*member = {};
  }
  return_memory(size);
  return out;
}

// Atoms are stored per split; the flat form has one (possibly empty) entry per node, in node order.
void join_atoms(std::vector<Tree>& trees, FlatArrays& out) {
  out.atom_offsets.push_back(0);
  out.weight_offsets.push_back(0);
  for (Tree& tree : trees) {
    for (std::size_t node = 0; node < tree.size(); ++node) {
      AtomKind kind{};
      if (tree.atom[node] >= 0) {
        const Atom atom = tree.atoms[static_cast<std::size_t>(tree.atom[node])];
        kind = atom.kind;
        out.atom_ints.insert(out.atom_ints.end(), atom.ints.begin(), atom.ints.end());
        out.atom_weights.insert(out.atom_weights.end(), atom.weights.begin(), atom.weights.end());
      }
      out.atom_kind.push_back(static_cast<std::uint8_t>(kind));
      out.atom_offsets.push_back(static_cast<std::int64_t>(out.atom_ints.size()));
      out.weight_offsets.push_back(static_cast<std::int64_t>(out.atom_weights.size()));
    }
    tree.atoms = AtomList{};
  }
}

// The paths of all trees one after the other.
void join_pruning_paths(std::vector<Tree>& trees, FlatArrays& out) {
  out.path_offsets.push_back(0);
  for (const Tree& tree : trees)
    out.path_offsets.push_back(out.path_offsets.back() +
                               static_cast<std::int64_t>(tree.pruning_path.alphas.size()));
  out.path_alphas = join<double>(trees, [](Tree& t) -> auto& { return t.pruning_path.alphas; });
  out.path_impurities =
      join<double>(trees, [](Tree& t) -> auto& { return t.pruning_path.impurities; });
}

}  // namespace

FlatArrays flatten(std::vector<Tree> trees) {
  FlatArrays out;
  out.tree_offsets.push_back(0);
  for (const Tree& tree : trees)
    out.tree_offsets.push_back(out.tree_offsets.back() + static_cast<std::int64_t>(tree.size()));
  join_atoms(trees, out);
  out.left = join<std::int32_t>(trees, &Tree::left);
  out.kind = join<std::uint8_t>(trees, &Tree::kind);
  out.threshold = join<double>(trees, &Tree::threshold);
  out.missing_left = join<std::uint8_t>(trees, &Tree::missing_left);
  out.gain = join<float>(trees, &Tree::gain);
  out.weight = join<double>(trees, &Tree::weight);
  out.shares = join<float>(trees, &Tree::shares);
  out.means = join<double>(trees, &Tree::value);
  if (!trees.empty()) out.rotation_size = trees[0].rotation.dims.size();
  out.rotation_dims = join<std::int32_t>(trees, [](Tree& t) -> auto& { return t.rotation.dims; });
  out.rotations = join<float>(trees, [](Tree& t) -> auto& { return t.rotation.matrix; });
  out.leaf_of_row = join_rows(trees, &Tree::leaf_of_row);
  out.inbag = join_rows(trees, &Tree::inbag);
  join_pruning_paths(trees, out);
  return out;
}

}  // namespace mf::train
