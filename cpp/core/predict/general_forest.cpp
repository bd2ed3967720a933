#include "predict/general_forest.hpp"

#include "atoms/kind.hpp"

namespace mf::predict {

GeneralForest::GeneralForest(const FlatForest& forest, const Geometry& geometry_)
    : geometry(geometry_),
      rotation_size(forest.rotation_size),
      nodes(forest.n_nodes()),
      atoms(geometry.grids.size()) {
  CompiledAtom compiled;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const auto begin = static_cast<std::size_t>(forest.tree_offsets[t]);
    const auto end = static_cast<std::size_t>(forest.tree_offsets[t + 1]);
    first_node.push_back(begin);
    atoms.start_tree();
    for (std::size_t i = begin; i < end; ++i) {
      if (forest.is_leaf(i)) continue;
      compile(forest.atom(i), geometry, compiled);
      nodes[i] = {forest.threshold[i], atoms.add(compiled), forest.left[i],
                  forest.missing_left[i] != 0};
    }
    if (rotation_size > 0) rotations.emplace_back(forest.rotation(t));
  }
}

}  // namespace mf::predict
