// Blocks of rows that the worker of a tree and all idle workers take one by one.
#pragma once

#include <memory>

#include "base/block_loop.hpp"
#include "train/growing_tree.hpp"
#include "train/worker.hpp"

namespace mf::train {

// A loop of this worker that others may help with. It leaves their scratch memory alone, so that a
// worker may wait for helpers in the middle of a node. What is added up must not depend on order.
BlockLoop shared_loop(const Worker& worker, const std::shared_ptr<GrowingTree>& growing);

}  // namespace mf::train
