// Which features the splits of a forest look at.
#pragma once

#include <vector>

#include "forest/flat_forest.hpp"

namespace mf::predict {

struct Importances {
  std::vector<double>
      usage;  // number of split nodes whose atom touches the feature [MORF section 3.2]
  std::vector<double> gain;  // impurity decrease in equal shares over an atom's features; per tree
                             // it sums to one, then trees are averaged
  std::vector<std::vector<double>> view_gain;  // the same over the cells of each view
};

Importances importances(const FlatForest& forest, const Geometry& geometry);

}  // namespace mf::predict
