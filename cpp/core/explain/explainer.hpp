// Shapley values of predictions: how much each feature moves the prediction of a row away from the
// mean of the forest (path-dependent TreeSHAP, Lundberg et al. 2020). docs/methods/shap.md has the
// mathematics.
#pragma once

#include <vector>

#include "base/interrupt.hpp"
#include "data/table.hpp"
#include "explain/leaf_values.hpp"
#include "explain/path_tree.hpp"
#include "explain/quadrature.hpp"
#include "forest/flat_forest.hpp"
#include "predict/predictor.hpp"

namespace mf::explain {

class Explainer {
 public:
  // n_classes of each output; empty for numbers and scores. Every tree takes part for every row.
  // Keeps references to both and views of the arrays.
  Explainer(const FlatForest& forest, const Geometry& geometry, std::vector<int> n_classes,
            predict::Aggregation aggregation, int n_threads,
            const InterruptFunction& check_interrupt);

  // The mean of the forest, value_width numbers: mean or sum over trees of the means over leaves.
  std::vector<double> base_values() const;

  // out: rows × features × value_width; what each feature adds to base_values.
  // Takes O(nodes × points × columns) for each row and tree, with at most half as many points as a
  // path has players.
  template <class T>
  void shap_values(const Matrix<T>& X, int n_threads, double* out,
                   const InterruptFunction& check_interrupt) const;

 private:
  template <class T>
  class Batch;

  double scale() const {
    return aggregation_ == predict::Aggregation::sum ? 1.0 : static_cast<double>(trees_.size());
  }
  const Quadrature& points_of(const PathTree& tree) const;
  // Bytes of the levels of the largest tree, for each lane.
  std::size_t bytes_per_lane() const;

  const FlatForest& forest_;
  const Geometry& geometry_;
  predict::Aggregation aggregation_;
  LeafValues values_;
  std::vector<PathTree> trees_;
  std::vector<Quadrature> points_;  // by their number; empty where no tree needs so many
};

}  // namespace mf::explain
