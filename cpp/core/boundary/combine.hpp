// What a forest answers, from where the walks of a query ended.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>

#include "boundary/forest.hpp"

namespace mf::boundary {

// Shepard's weights: w_i = d_i^-power / sum_j d_j^-power; if some distances are zero, equal weights
// for these (Mathy et al. 2015). Distances are taken relative to the least, which cannot overflow.
class ShepardWeights {
 public:
  ShepardWeights(double power, const std::function<double(double)>& distance)
      : power_(power), distance_(distance) {}

  // of the ends of one query: n ranks to n weights that sum to one
  void weigh(const double* ranks, std::size_t n, double* weights) const {
    double least = INFINITY, sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      weights[i] = distance_(ranks[i]);
      least = weights[i] < least ? weights[i] : least;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const bool exact = weights[i] == 0.0;
      weights[i] = least == 0.0 ? (exact ? 1.0 : 0.0) : std::pow(least / weights[i], power_);
      sum += weights[i];
    }
    for (std::size_t i = 0; i < n; ++i) weights[i] /= sum;
  }

 private:
  double power_;
  const std::function<double(double)>& distance_;
};

// Queries × n_columns: shares of classes, or means of values. Classes beyond the columns, which
// another thread may have added in the meantime, are left out.
inline std::vector<double> combine(const Forest& forest, const WalkEnds& ends,
                                   const ShepardWeights& shepard, std::size_t n_columns) {
  const std::size_t n_queries = ends.slots.size() / ends.n_trees;
  std::vector<double> out(n_queries * n_columns, 0.0), weights(ends.n_trees);
  for (std::size_t q = 0; q < n_queries; ++q) {
    shepard.weigh(&ends.ranks[q * ends.n_trees], ends.n_trees, weights.data());
    double* row = &out[q * n_columns];
    for (std::size_t t = 0; t < ends.n_trees; ++t) {
      const Slot slot = ends.slots[q * ends.n_trees + t];
      if (forest.options().task == Task::classify) {
        const auto column = static_cast<std::size_t>(forest.class_of(slot));
        if (column < n_columns) row[column] += weights[t];
      } else {
        for (std::size_t o = 0; o < n_columns; ++o)
          row[o] += weights[t] * forest.values_of(slot)[o];
      }
    }
  }
  return out;
}

}  // namespace mf::boundary
