// Checking that a flat forest is sound before the core walks it: model files may be damaged or made
// up.
#pragma once

#include "forest/flat_forest.hpp"

namespace mf {

// Throws std::invalid_argument on children, offsets or atoms that lead out of their arrays.
void check_forest(const FlatForest& forest, const Geometry& geometry);

}  // namespace mf
