#include "forest/check_forest.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "projections/atoms/kind.hpp"
#include "projections/node_kind.hpp"

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

// Children come after their parent, so that no walk can run in circles, and have one parent each,
// so that every node is reached by one path.
void check_children(const FlatForest& forest, std::size_t tree,
                    std::vector<std::uint8_t>& has_parent) {
  const auto begin = static_cast<std::size_t>(forest.tree_offsets[tree]);
  const std::int64_t size = forest.tree_offsets[tree + 1] - forest.tree_offsets[tree];
  require(size >= 1, "a tree has no nodes");
  has_parent.assign(static_cast<std::size_t>(size), 0);
  has_parent[0] = 1;
  std::int64_t n_reached = 1;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t left = forest.left[begin + static_cast<std::size_t>(i)];
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

void check_forest(const FlatForest& forest, const Geometry& geometry) {
  check_offsets(forest.tree_offsets, forest.n_nodes(), "tree_offsets are not ascending");
  check_offsets(forest.atom_offsets, forest.atom_ints.size(), "atom_offsets are not ascending");
  check_offsets(forest.weight_offsets, forest.atom_weights.size(),
                "weight_offsets are not ascending");
  std::vector<std::uint8_t> has_parent;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    check_children(forest, t, has_parent);
    for (auto node = static_cast<std::size_t>(forest.tree_offsets[t]);
         node < static_cast<std::size_t>(forest.tree_offsets[t + 1]); ++node) {
      check_kind(forest.kind[node], forest.is_leaf(node));
      if (!forest.is_leaf(node)) check_atom(forest, geometry, node);
    }
  }
  for (std::size_t i = 0; i < forest.n_trees() * forest.rotation_size; ++i)
    require(forest.rotation_dims[i] >= 0 &&
                static_cast<std::size_t>(forest.rotation_dims[i]) < geometry.n_features,
            "rotation_dims name a feature that does not exist");
}

}  // namespace mf
