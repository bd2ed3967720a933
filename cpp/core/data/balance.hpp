// Weights that balance classes.
#pragma once

#include <span>
#include <vector>

#include "data/target.hpp"

namespace mf {

// A factor for each row, such that all classes with any weight weigh the same: W / (classes present
// × weight of the class), the product over outputs, as in scikit-learn's "balanced". Products of
// extreme size are in units of a power of two.
std::vector<double> balanced_weights(const Target& target, std::span<const double> weight);

}  // namespace mf
