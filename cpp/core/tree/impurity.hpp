// The impurity of a node by its definition. The search of splits needs differences only.
#pragma once

#include "data/samples.hpp"
#include "split/finder.hpp"

namespace mf::train {

// In the unit of gains divided by weight; of several outputs the mean. The node has a row.
double impurity(CriterionKind criterion, const Target& target, const NodeSample& node);

}  // namespace mf::train
