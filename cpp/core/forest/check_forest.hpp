// Checks that a flat forest is consistent before it is walked: model files may be damaged or
// forged. The whole forest is checked once, when a predictor is made. Unpacking a file follows
// children before that, and calls check_children alone.
#pragma once

#include <cstdint>
#include <span>

#include "forest/flat_forest.hpp"

namespace mf {

// Throws std::invalid_argument unless there are trees in which children come after their parent, so
// that no walk can run in circles, and every node but a root has one parent, so that one path leads
// to it.
void check_children(std::span<const std::int64_t> tree_offsets, std::span<const std::int32_t> left);

// Also throws if an offset or an atom leads out of its array, or the kind of a node or an atom is
// unknown.
void check_forest(const FlatForest& forest, const Geometry& geometry);

}  // namespace mf
