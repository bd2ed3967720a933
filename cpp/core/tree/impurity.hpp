// The impurity of a node by its definition. The search of splits needs differences only.
#pragma once

#include "data/samples.hpp"
#include "objectives/objective.hpp"

namespace mf::train {

// In the unit of gains divided by weight; of several outputs the mean. The node has a row.
double impurity(const Objective& objective, const Target& target, const NodeSample& node);

}  // namespace mf::train
