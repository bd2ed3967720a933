// Sending rows down a finished tree, a whole slice per node at a time.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "train/growing_tree.hpp"
#include "train/worker.hpp"

namespace mf::train {

// Called at every node that rows reach. It must own what it uses: if route() fails, helpers may
// still call it.
using Visit = std::function<void(Worker&, GrowingTree&, std::size_t node, std::span<const Row>)>;

// Reorders the rows of a tree and visits every node that some row reaches, parents first.
void route(Worker& worker, const std::shared_ptr<GrowingTree>& growing, const Visit& visit);
// The same, but visits leaves alone, perhaps several times.
void route_to_leaves(Worker& worker, const std::shared_ptr<GrowingTree>& growing,
                     const Visit& visit);

}  // namespace mf::train
