// Sending rows down a finished tree, a whole slice per node at a time.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "split/project.hpp"
#include "tree/tree.hpp"

namespace mf {

// Reorders `rows` and calls visit(node, slice) for every node that some row reaches, parents first.
void route(const Tree& tree, Projector& projector, std::span<Row> rows,
           const std::function<void(std::size_t, std::span<const Row>)>& visit);

// Moves rows whose key is at most `last_left` (or is missing, if those go left) to the front,
// keeping the order on both sides; returns how many.
std::size_t stable_partition(std::span<Row> rows, const Column& column, Key last_left,
                             bool missing_left, std::vector<Row>& spill);

}  // namespace mf
