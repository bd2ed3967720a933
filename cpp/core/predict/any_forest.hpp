// A forest of any mixture of atoms, compiled into lists of terms.
#pragma once

#include <cstdint>
#include <vector>

#include "forest/flat_forest.hpp"
#include "projections/terms.hpp"

namespace mf::predict {

// What a node needs while rows are walked through it.
struct AnyNode {
  // An axis reads one feature and needs no list of terms.
  enum class Way : std::uint8_t { axis, terms, summed, rotated };

  double threshold = 0.0;
  std::int32_t left = 0;  // within the tree; right is left + 1; 0 for a leaf
  std::int32_t at = 0;    // feature, or first term counted from the tree's first
  std::int32_t grid = -1;
  std::uint32_t n_terms = 0;
  Way way = Way::axis;
  bool whole = false;
  bool missing_left = false;
};

struct AnyForest {
  AnyForest(const FlatForest& forest, const Geometry& geometry);

  const Geometry& geometry;
  std::size_t rotation_size;
  std::vector<AnyNode> nodes;
  std::vector<Term> terms;
  std::vector<std::size_t> first_node, first_term;  // of each tree
  std::vector<Rotation> rotations;

 private:
  void compile_split(const FlatForest& forest, std::size_t i, AnyNode& node);

  CompiledAtom compiled_;
};

}  // namespace mf::predict
