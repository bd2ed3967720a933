#include "forest/flatten.hpp"

#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

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
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
  }

 private:
  static constexpr std::size_t kMuch = std::size_t{16} << 20;

  std::size_t bytes_ = 0;
};

// Concatenates one member of all trees and frees it there.
template <class Out, class Member>
std::vector<Out> join(std::vector<Tree>& trees, Member member, FreedMemory& freed) {
  std::size_t size = 0;
  for (Tree& tree : trees) size += std::invoke(member, tree).size();
  std::vector<Out> out;
  out.reserve(size);
  for (Tree& tree : trees) {
    auto from = std::move(std::invoke(member, tree));
    if constexpr (std::is_same_v<Out, typename decltype(from)::value_type>)
      out.insert(out.end(), from.begin(), from.end());
    else
      for (const auto& x : from) out.push_back(static_cast<Out>(x));
  }
  freed.add(size * sizeof(Out));
  return out;
}

// The same for numbers of training rows.
std::vector<std::int32_t> join_rows(std::vector<Tree>& trees, SmallNumbers Tree::* member,
                                    FreedMemory& freed) {
  std::size_t size = 0;
  for (const Tree& tree : trees) size += (tree.*member).size();
  std::vector<std::int32_t> out;
  out.reserve(size);
  for (Tree& tree : trees) {
    (tree.*member).append_to(out);
    tree.*member = {};
  }
  freed.add(size);
  return out;
}

template <class V>
void append(std::span<const V> numbers, std::vector<V>& out) {
  if (numbers.size() == 1)  // most atoms: no call
    out.push_back(numbers[0]);
  else
    out.insert(out.end(), numbers.begin(), numbers.end());
}

// Atoms are stored per split; the flat form has one (possibly empty) entry per node, in node order.
void join_atoms(std::vector<Tree>& trees, FlatArrays& out, FreedMemory& freed) {
  std::size_t n_nodes = 0, n_ints = 0, n_weights = 0;
  for (const Tree& tree : trees) {
    n_nodes += tree.size();
    n_ints += tree.atoms.ints.size();
    n_weights += tree.atoms.weights.size();
  }
  out.atom_kind.reserve(n_nodes);
  out.atom_offsets.reserve(n_nodes + 1);
  out.weight_offsets.reserve(n_nodes + 1);
  out.atom_ints.reserve(n_ints);
  out.atom_weights.reserve(n_weights);
  out.atom_offsets.push_back(0);
  out.weight_offsets.push_back(0);
  for (Tree& tree : trees) {
    for (std::size_t node = 0; node < tree.size(); ++node) {
      AtomKind kind{};
      if (tree.atom[node] >= 0) {
        const Atom atom = tree.atoms[static_cast<std::size_t>(tree.atom[node])];
        kind = atom.kind;
        append(atom.ints, out.atom_ints);
        append(atom.weights, out.atom_weights);
      }
      out.atom_kind.push_back(static_cast<std::uint8_t>(kind));
      out.atom_offsets.push_back(static_cast<std::int64_t>(out.atom_ints.size()));
      out.weight_offsets.push_back(static_cast<std::int64_t>(out.atom_weights.size()));
    }
    tree.atoms = AtomList{};
  }
  freed.add(n_ints * sizeof(std::int32_t) + n_weights * sizeof(float));
}

// The paths of all trees one after the other.
void join_pruning_paths(std::vector<Tree>& trees, FlatArrays& out, FreedMemory& freed) {
  out.path_offsets.push_back(0);
  for (const Tree& tree : trees)
    out.path_offsets.push_back(out.path_offsets.back() +
                               static_cast<std::int64_t>(tree.pruning_path.alphas.size()));
  out.path_alphas =
      join<double>(trees, [](Tree& t) -> auto& { return t.pruning_path.alphas; }, freed);
  out.path_impurities =
      join<double>(trees, [](Tree& t) -> auto& { return t.pruning_path.impurities; }, freed);
}

}  // namespace

FlatArrays flatten(std::vector<Tree> trees) {
  FlatArrays out;
  FreedMemory freed;
  out.tree_offsets.push_back(0);
  for (const Tree& tree : trees)
    out.tree_offsets.push_back(out.tree_offsets.back() + static_cast<std::int64_t>(tree.size()));
  join_atoms(trees, out, freed);
  out.left = join<std::int32_t>(trees, &Tree::left, freed);
  out.kind = join<std::uint8_t>(trees, &Tree::kind, freed);
  out.threshold = join<double>(trees, &Tree::threshold, freed);
  out.missing_left = join<std::uint8_t>(trees, &Tree::missing_left, freed);
  out.gain = join<float>(trees, &Tree::gain, freed);
  out.weight = join<double>(trees, &Tree::weight, freed);
  out.shares = join<float>(trees, &Tree::shares, freed);
  out.means = join<double>(trees, &Tree::value, freed);
  if (!trees.empty()) out.rotation_size = trees[0].rotation.dims.size();
  out.rotation_dims =
      join<std::int32_t>(trees, [](Tree& t) -> auto& { return t.rotation.dims; }, freed);
  out.rotations = join<float>(trees, [](Tree& t) -> auto& { return t.rotation.matrix; }, freed);
  out.leaf_of_row = join_rows(trees, &Tree::leaf_of_row, freed);
  out.inbag = join_rows(trees, &Tree::inbag, freed);
  join_pruning_paths(trees, out, freed);
  return out;
}

}  // namespace mf::train
