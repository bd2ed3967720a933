// Pruning a grown tree.
#pragma once

#include "tree/tree.hpp"

namespace mf::train {

// Minimal cost-complexity pruning (Breiman et al. 1984, section 3.3): collapses weakest links while
// their effective alpha is at most ccp_alpha.
void prune_cost_complexity(Tree& tree, double ccp_alpha);

// Collapses every split that has a child without weight, bottom up (honest trees).
void prune_empty_leaves(Tree& tree);

// Drops nodes that can no longer be reached and renumbers the rest.
void compact(Tree& tree, std::size_t block);

}  // namespace mf::train
