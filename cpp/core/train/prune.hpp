// Pruning a grown tree.
#pragma once

#include <cstddef>

#include "train/tree.hpp"

namespace mf::train {

// Minimal cost-complexity pruning (Breiman et al. 1984, section 3.3): collapses weakest links while
// their effective alpha is at most ccp_alpha. What was below them can no longer be reached.
void prune_cost_complexity(Tree& tree, double ccp_alpha);

// All prunings of a tree by cost and complexity, in the unit of its gains.
PruningPath pruning_path(const Tree& tree, double root_impurity);

// Collapses every split that has a child without weight, bottom up (honest trees).
void prune_empty_leaves(Tree& tree);

// Drops nodes that can no longer be reached and renumbers the rest.
void compact(Tree& tree, std::size_t value_width);

}  // namespace mf::train
