// Removing points from one tree.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel.hpp"
#include "boundary/call_context.hpp"
#include "boundary/tree.hpp"

namespace mf::boundary {

// Removes the points in these slots from a tree of an index. Points that lose their place are
// learned again, in an order that depends on the seed. The rows of the context are the stored
// points.
void remove_from_tree(Tree& tree, std::span<const Slot> slots, const Points& points,
                      std::uint64_t seed, const CallContext& context, InterruptCheck& interrupts);

}  // namespace mf::boundary
