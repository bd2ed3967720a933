// Rotating the data of a tree, with the help of all idle workers.
#pragma once

#include <memory>

#include "train/growing_tree.hpp"
#include "train/worker.hpp"

namespace mf::train {

// Fills in the rotated data of a tree, if it has a rotation.
void rotate_data(Worker& worker, const std::shared_ptr<GrowingTree>& growing);

}  // namespace mf::train
