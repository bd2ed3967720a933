// Predicting: the flat forest compiled into terms, walked by blocks of rows.
#pragma once

#include <cstdint>
#include <vector>

#include "data/summed_area.hpp"
#include "data/table.hpp"
#include "forest/flat_forest.hpp"
#include "projections/terms.hpp"

namespace mf {

// How leaves become a prediction.
struct Voting {
  std::vector<int> n_classes;    // per output; empty for regression
  bool skip_empty = false;       // leave out trees whose leaf has no weight
  std::vector<double> fallback;  // the block of a row that no tree speaks for
};

class Predictor {
 public:
  // Keeps views of forest's arrays: they must outlive the predictor.
  Predictor(const FlatForest& forest, const Geometry& geometry, Voting voting);

  std::size_t n_trees() const { return forest_.n_trees(); }
  std::size_t n_features() const { return geometry_.n_features; }
  std::size_t block() const { return forest_.block; }

  // leaves: rows × trees
  template <class T>
  void apply(const Matrix<T>& X, int n_threads, std::int32_t* leaves) const;

  // out: rows × block. hard: each tree votes for its majority class.
  template <class T>
  void predict(const Matrix<T>& X, bool hard, int n_threads, double* out) const;

  // The same average over the trees in which a training row was out of bag; NaN where there is
  // none.
  void predict_oob(const std::int32_t* leaf_of_row, const std::int32_t* inbag, std::size_t n_rows,
                   bool hard, double* out, std::int32_t* n_trees_used) const;

 private:
  struct Node {
    double threshold;
    std::int32_t left;  // within the tree; 0 for a leaf
    std::uint32_t n_terms;
    std::int64_t first_term;
    Source source;
    bool whole;
    bool missing_left;
    std::int16_t grid;
  };
  template <class T>
  class Walker;  // one row in flight, with its summed-area tables

  template <class T, class Visit>
  void walk(const Matrix<T>& X, int n_threads, const Visit& visit) const;
  void add_vote(std::size_t node, bool hard, double* out) const;
  double value(std::size_t node, std::size_t k) const {
    return forest_.shares != nullptr ? static_cast<double>(forest_.shares[node * forest_.block + k])
                                     : forest_.means[node * forest_.block + k];
  }
  bool speaks(std::size_t node) const { return !voting_.skip_empty || forest_.weight[node] > 0.0; }

  FlatForest forest_;
  Geometry geometry_;
  Voting voting_;
  std::vector<Node> nodes_;
  std::vector<Term> terms_;
  std::vector<Rotation> rotations_;
};

}  // namespace mf
