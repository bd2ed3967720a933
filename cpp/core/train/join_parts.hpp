// Joining the parts of a tree that several workers have grown.
#pragma once

#include <cstddef>

#include "base/block_loop.hpp"
#include "train/growing_tree.hpp"

namespace mf::train {

// Joins the subtrees that were given away with the part. Nodes and atoms are then numbered as if
// one worker had grown the whole tree depth first.
void join_given(Part& part, std::size_t value_width, const BlockLoop& loop);

}  // namespace mf::train
