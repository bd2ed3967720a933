#include "forest/check_forest.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "atoms/kind.hpp"
#include "atoms/node_kind.hpp"

namespace mf {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(std::string("arrays: ") + what);
}

void check_offsets(std::span<const std::int64_t> offsets, std::size_t size, const char* what) {
  require(
      !offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(size),
      what);
  for (std::size_t i = 1; i < offsets.size(); ++i) require(offsets[i] >= offsets[i - 1], what);
}

void check_kind(std::uint8_t kind, bool is_leaf) {
  require(kind != static_cast<std::uint8_t>(NodeKind::categories),
          "a node is of kind 2, a split by a set of categories, which this version does not know");
  require(kind == static_cast<std::uint8_t>(is_leaf ? NodeKind::leaf : NodeKind::numeric),
          "a node is of unknown kind");
}

void check_atom(const FlatForest& forest, const Geometry& geometry, std::size_t node) {
  const AtomType* type = find_atom_type(forest.atom_kind[node]);
  require(type != nullptr, "unknown kind of atom");
  type->check(forest.atom(node), geometry, forest.rotation_size);
}

// The left children of one tree.
void check_children_of_tree(std::span<const std::int32_t> lefts,
                            std::vector<std::uint8_t>& has_parent) {
  require(!lefts.empty(), "a tree has no nodes");
  const auto size = static_cast<std::int64_t>(lefts.size());
  has_parent.assign(lefts.size(), 0);
  has_parent[0] = 1;
  std::int64_t n_reached = 1;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t left = lefts[static_cast<std::size_t>(i)];
    if (left == 0) continue;
    require(left > i && left + 1 < size, "a node has children outside its tree");
    for (const std::int64_t child : {left, left + 1}) {
      require(has_parent[static_cast<std::size_t>(child)] == 0, "a node has several parents");
      has_parent[static_cast<std::size_t>(child)] = 1;
    }
    n_reached += 2;
  }
  require(n_reached == size, "a node has no parent");
}

}  // namespace

void check_children(std::span<const std::int64_t> tree_offsets,
                    std::span<const std::int32_t> left) {
  require(tree_offsets.size() >= 2, "a forest must have trees");
  check_offsets(tree_offsets, left.size(), "tree_offsets are not ascending");
  std::vector<std::uint8_t> has_parent;
  for (std::size_t t = 0; t + 1 < tree_offsets.size(); ++t) {
    const auto begin = static_cast<std::size_t>(tree_offsets[t]);
    const auto end = static_cast<std::size_t>(tree_offsets[t + 1]);
    check_children_of_tree(left.subspan(begin, end - begin), has_parent);
  }
}

void check_forest(const FlatForest& forest, const Geometry& geometry) {
  check_children(forest.tree_offsets, forest.left);
  check_offsets(forest.atom_offsets, forest.atom_ints.size(), "atom_offsets are not ascending");
  check_offsets(forest.weight_offsets, forest.atom_weights.size(),
                "weight_offsets are not ascending");
  for (std::size_t node = 0; node < forest.n_nodes(); ++node) {
    check_kind(forest.kind[node], forest.is_leaf(node));
    if (!forest.is_leaf(node)) check_atom(forest, geometry, node);
  }
  for (std::size_t i = 0; i < forest.n_trees() * forest.rotation_size; ++i)
    require(forest.rotation_dims[i] >= 0 &&
                static_cast<std::size_t>(forest.rotation_dims[i]) < geometry.n_features,
            "rotation_dims name a feature that does not exist");
}

}  // namespace mf
