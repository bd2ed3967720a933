// Checking that a flat forest is sound before the core walks it: model files may be damaged or made
// up. This is the one place, and it is asked once per forest, when a predictor is made.
#pragma once

#include "forest/flat_forest.hpp"

namespace mf {

// Throws std::invalid_argument on children, offsets or atoms that lead out of their arrays, on
// nodes that no path or several lead to, and on kinds of nodes and atoms that are not known.
void check_forest(const FlatForest& forest, const Geometry& geometry);

}  // namespace mf
