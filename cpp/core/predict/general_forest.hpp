// A forest of any mixture of atoms, compiled into lists of terms.
#pragma once

#include <cstdint>
#include <vector>

#include "atoms/row_rotation.hpp"
#include "forest/flat_forest.hpp"
#include "predict/stored_atoms.hpp"

namespace mf::predict {

// What a node needs while rows are walked through it.
struct GeneralNode {
  double threshold = 0.0;
  StoredAtom atom;
  std::int32_t left = 0;  // within the tree; right is left + 1; 0 for a leaf
  bool missing_left = false;
};

// Keeps a reference to the geometry.
struct GeneralForest {
  GeneralForest(const FlatForest& forest, const Geometry& geometry);

  const Geometry& geometry;
  std::size_t rotation_size;
  std::vector<GeneralNode> nodes;
  StoredAtoms atoms;
  std::vector<std::size_t> first_node;  // of each tree
  std::vector<RowRotation> rotations;
};

}  // namespace mf::predict
