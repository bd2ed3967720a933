// The values of leaves as columns of numbers that are explained.
#pragma once

#include <cstddef>
#include <vector>

#include "forest/flat_forest.hpp"
#include "predict/predictor.hpp"

namespace mf::explain {

// Shares of classes sum to 1, so that what is explained of the last class of an output is minus
// what is explained of the others: it has no column. Most leaves hold few classes, or one.
class LeafValues {
 public:
  // n_classes of each output; empty for numbers and scores. vote: only with classes.
  LeafValues(const FlatForest& forest, std::vector<int> n_classes,
             predict::Aggregation aggregation);

  std::size_t n_columns() const { return places_.size(); }
  // Which of the value_width values of a leaf a column is.
  std::size_t place(std::size_t column) const { return places_[column]; }

  // The columns of a leaf. Shares are divided by their sum, as they are in predictions.
  void read(std::size_t node, double* columns) const;

  // Fills in the last class of each output, of which all values sum to `total`.
  void complete(double* values, double total) const;

 private:
  void read_classes(const float* shares, double* columns) const;

  const FlatForest& forest_;
  std::vector<int> n_classes_;
  bool votes_;
  std::vector<std::size_t> places_;
};

}  // namespace mf::explain
