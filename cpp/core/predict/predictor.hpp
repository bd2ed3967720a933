// Predicting: batches of rows are walked to their leaves, whose values are aggregated over trees.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/interrupt.hpp"
#include "data/table.hpp"
#include "forest/flat_forest.hpp"
#include "predict/walk.hpp"

namespace mf::predict {

// How the values of a row's leaves become its prediction. Trees that are left out (skip_empty) take
// no part in any of them.
//   mean  their mean; shares of classes are made to sum to 1. The fallback if no tree takes part.
//   vote  each tree gives 1 to the class of the largest share, the first of equals, and 0 to the
//         others, for every output; then as mean. Only for classes.
//   sum   their sum, divided by nothing; 0 if no tree takes part.
enum class Aggregation : std::uint8_t { mean, vote, sum };

// What the values of leaves mean, and which trees take part.
struct Voting {
  std::vector<int> n_classes;    // per output; empty for regression
  bool skip_empty = false;       // leave out trees whose leaf has no weight
  std::vector<double> fallback;  // the value of a row for which no tree takes part
};

class Predictor {
 public:
  // Keeps views of forest's arrays: they must outlive the predictor.
  Predictor(const FlatForest& forest, const Geometry& geometry, Voting voting);

  std::size_t n_trees() const { return forest_.n_trees(); }
  std::size_t value_width() const { return forest_.value_width; }
  const FlatForest& forest() const { return forest_; }
  const Geometry& geometry() const { return geometry_; }
  const Voting& voting() const { return voting_; }

  // leaves: rows × trees
  template <class T>
  void apply(const Matrix<T>& X, int n_threads, std::int32_t* leaves,
             const InterruptFunction& check_interrupt) const;

  // out: rows × value_width.
  template <class T>
  void predict(const Matrix<T>& X, Aggregation aggregation, int n_threads, double* out,
               const InterruptFunction& check_interrupt) const;

  // The same over the trees in which a training row was out of bag; NaN where there is none.
  // Throws std::invalid_argument if one of their leaves is not a node of its tree.
  void predict_oob(const std::int32_t* leaf_of_row, const std::int32_t* inbag, std::size_t n_rows,
                   Aggregation aggregation, double* out, std::int32_t* n_trees_used) const;

 private:
  // A forest compiled for rows of one type when the first of them come.
  template <class T>
  struct Compiled {
    std::once_flag once;
    std::unique_ptr<WalkableForest<T>> forest;
  };

  template <class T>
  const WalkableForest<T>& compiled() const;
  template <class T, class Visit>
  void walk(const Matrix<T>& X, int n_threads, const Visit& visit,
            const InterruptFunction& check_interrupt) const;
  void check(Aggregation aggregation) const;
  void add_leaf(std::size_t node, Aggregation aggregation, double* out) const;
  void add_value(std::size_t node, Aggregation aggregation, double* out) const;
  void finish(double* out, std::int32_t votes) const;
  double value(std::size_t node, std::size_t k) const {
    return forest_.shares != nullptr
               ? static_cast<double>(forest_.shares[node * forest_.value_width + k])
               : forest_.means[node * forest_.value_width + k];
  }
  bool takes_part(std::size_t node) const {
    return !voting_.skip_empty || forest_.weight[node] > 0.0;
  }

  static constexpr std::uint8_t kMixed = 255;

  FlatForest forest_;
  Geometry geometry_;
  Voting voting_;
  std::vector<std::uint8_t> pure_class_;  // of each leaf that holds one class only, else kMixed
  mutable Compiled<std::uint8_t> integers_;
  mutable Compiled<float> floats_;
};

}  // namespace mf::predict
