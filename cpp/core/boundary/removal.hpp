// Taking points out of one tree.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel.hpp"
#include "boundary/call_context.hpp"
#include "boundary/tree.hpp"

namespace mf::boundary {

// Takes the points at these slots out of a tree of an index and learns again what hung on them, in
// an order that the seed decides. The rows of the context are the stored points.
void remove_from_tree(Tree& tree, std::span<const Slot> slots, const Points& points,
                      std::uint64_t seed, const CallContext& context, InterruptCheck& interrupts);

}  // namespace mf::boundary
