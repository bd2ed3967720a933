// Geometry: what stored atoms refer to. Shared by all trees of a forest, needed again to predict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "projections/atom.hpp"

namespace mf {

// The grid on which features live: row-major shape of one example. Patches are contiguous along the
// summed axes, and its summed-area table runs along exactly those.
struct Grid {
  std::vector<int> shape;
  std::vector<bool> summed;

  int n_axes() const { return static_cast<int>(shape.size()); }
  // Length of an axis in the summed-area table: one more, for the leading zero.
  int table_length(int axis) const { return shape[axis] + (summed[axis] ? 1 : 0); }
  std::size_t table_size() const {
    std::size_t size = 1;
    for (int a = 0; a < n_axes(); ++a) size *= static_cast<std::size_t>(table_length(a));
    return size;
  }
};

// Sparse atoms given by the user (or balls of a graph), row a being atom a.
struct Dictionary {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> features;
  std::vector<float> weights;

  std::size_t size() const { return offsets.size() - 1; }
};

struct Geometry {
  std::size_t n_features = 0;
  std::vector<Grid> grids;
  Dictionary dictionary;
};

// A tree's own rotation (RotRF): columns `dims` of X are replaced by X[:, dims] Q.
struct Rotation {
  std::vector<std::int32_t> dims;
  std::vector<float> matrix;  // dims × dims, row-major

  bool empty() const { return dims.empty(); }
};

// Writes an atom out as features and weights, whatever its kind (importances, polytopes, tests).
// Rotation atoms need the tree's rotation.
void expand(const Atom& atom, const Geometry& geometry, const Rotation& rotation,
            std::vector<std::int32_t>& features, std::vector<float>& weights);

}  // namespace mf
