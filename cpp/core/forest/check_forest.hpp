// Checking that a flat forest is sound before it is walked: model files may be damaged or made up.
// This is the one place. The whole forest is checked once, when a predictor is made; before that,
// what unpacks a file follows children up and down, and asks for these alone.
#pragma once

#include <cstdint>
#include <span>

#include "forest/flat_forest.hpp"

namespace mf {

// Throws std::invalid_argument unless there are trees in which children come after their parent, so
// that no walk can run in circles, and every node but a root has one parent, so that one path leads
// to it.
void check_children(std::span<const std::int64_t> tree_offsets, std::span<const std::int32_t> left);

// The same, and for offsets or atoms that lead out of their arrays, and kinds of nodes and atoms
// that are not known.
void check_forest(const FlatForest& forest, const Geometry& geometry);

}  // namespace mf
