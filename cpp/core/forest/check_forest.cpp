#include "forest/check_forest.hpp"

#include <stdexcept>
#include <string>

#include "tree/tree.hpp"

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

void check_patch(const Atom& atom, const Geometry& geometry) {
  const char* what = "a patch does not fit its grid";
  const auto& ints = atom.ints;
  require(
      !ints.empty() && ints[0] >= 0 && static_cast<std::size_t>(ints[0]) < geometry.grids.size(),
      what);
  const Grid& grid = geometry.grids[static_cast<std::size_t>(ints[0])];
  std::size_t at = 1;
  for (int axis = 0; axis < grid.n_axes(); ++axis) {
    const int length = grid.shape[static_cast<std::size_t>(axis)];
    if (grid.summed[static_cast<std::size_t>(axis)]) {
      require(at + 2 <= ints.size(), what);
      require(ints[at] >= 0 && ints[at] < length && ints[at + 1] >= 1 && ints[at + 1] <= length,
              what);
      at += 2;
      continue;
    }
    require(at < ints.size() && ints[at] >= 1, what);
    const auto size = static_cast<std::size_t>(ints[at]);
    require(size <= static_cast<std::size_t>(length) && at + 1 + size <= ints.size(), what);
    for (std::size_t i = at + 1; i < at + 1 + size; ++i)
      require(ints[i] >= 0 && ints[i] < length, what);
    at += 1 + size;
  }
  require(at == ints.size(), what);
}

void check_atom(const Atom& atom, const Geometry& geometry) {
  auto all_below = [&](std::size_t bound) {
    for (const std::int32_t i : atom.ints)
      require(i >= 0 && static_cast<std::size_t>(i) < bound,
              "an atom names a feature that does not exist");
  };
  switch (atom.kind) {
    case AtomKind::sparse:
      require(!atom.ints.empty() && atom.ints.size() == atom.weights.size(),
              "a sparse atom is malformed");
      all_below(geometry.n_features);
      return;
    case AtomKind::patch:
      check_patch(atom, geometry);
      return;
    case AtomKind::dictionary:
      require(atom.ints.size() == 1, "a dictionary atom is malformed");
      all_below(geometry.dictionary.size());
      return;
    case AtomKind::rotation:
      require(atom.ints.size() == 1, "a rotation atom is malformed");
      all_below(geometry.n_features);
      return;
  }
  require(false, "unknown kind of atom");
}

}  // namespace

void check_forest(const FlatForest& forest, const Geometry& geometry) {
  check_offsets(forest.tree_offsets, forest.n_nodes(), "tree_offsets are not ascending");
  check_offsets(forest.atom_offsets, forest.atom_ints.size(), "atom_offsets are not ascending");
  check_offsets(forest.weight_offsets, forest.atom_weights.size(),
                "weight_offsets are not ascending");
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const auto begin = static_cast<std::size_t>(forest.tree_offsets[t]);
    const auto size =
        static_cast<std::int64_t>(forest.tree_offsets[t + 1]) - forest.tree_offsets[t];
    require(size >= 1, "a tree has no nodes");
    for (std::int64_t i = 0; i < size; ++i) {
      const std::size_t node = begin + static_cast<std::size_t>(i);
      const std::int64_t left = forest.left[node];
      require(forest.kind[node] == static_cast<std::uint8_t>(left == 0 ? train::NodeKind::leaf
                                                                       : train::NodeKind::numeric),
              "a node is of unknown kind");
      if (left == 0) continue;
      // Children come after their parent, so that no walk can run in circles.
      require(left > i && left + 1 < size, "a node has children outside its tree");
      const Atom atom = forest.atom(node);
      check_atom(atom, geometry);
      require(atom.kind != AtomKind::rotation || forest.rotation_size > 0, "rotations are missing");
    }
  }
  for (std::size_t i = 0; i < forest.n_trees() * forest.rotation_size; ++i)
    require(forest.rotation_dims[i] >= 0 &&
                static_cast<std::size_t>(forest.rotation_dims[i]) < geometry.n_features,
            "rotation_dims name a feature that does not exist");
}

}  // namespace mf
