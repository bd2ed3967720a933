#include "predict/importance.hpp"

#include "atoms/kind.hpp"

namespace mf::predict {

Importances importances(const FlatForest& forest, const Geometry& geometry) {
  Importances out{std::vector<double>(geometry.n_features, 0.0),
                  std::vector<double>(geometry.n_features, 0.0)};
  std::vector<double> tree_gain(geometry.n_features);
  std::vector<std::int32_t> features;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const Rotation rotation = forest.rotation(t);
    tree_gain.assign(geometry.n_features, 0.0);
    double total = 0.0;
    for (auto node = static_cast<std::size_t>(forest.tree_offsets[t]);
         node < static_cast<std::size_t>(forest.tree_offsets[t + 1]); ++node) {
      if (forest.is_leaf(node)) continue;
      const Atom atom = forest.atom(node);
      features.clear();
      type_of(atom.kind).features(atom, geometry, rotation, features);
      const double share =
          static_cast<double>(forest.gain[node]) / static_cast<double>(features.size());
      total += static_cast<double>(forest.gain[node]);
      for (const std::int32_t f : features) {
        out.usage[static_cast<std::size_t>(f)] += 1.0;
        tree_gain[static_cast<std::size_t>(f)] += share;
      }
    }
    if (total <= 0.0) continue;
    for (std::size_t j = 0; j < tree_gain.size(); ++j) out.gain[j] += tree_gain[j] / total;
  }
  for (double& g : out.gain) g /= static_cast<double>(forest.n_trees());
  return out;
}

}  // namespace mf::predict
