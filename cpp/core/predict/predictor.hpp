// Predicting: the flat forest compiled into terms, walked by blocks of rows.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

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

// Called now and then from the calling thread; an exception stops the work.
using Watch = std::function<void()>;

// What a node needs while rows are walked through it.
struct WalkNode {
  // An axis is by far the most common atom; it reads one feature and needs no list of terms.
  enum class Way : std::uint8_t { axis, terms, summed, rotated };

  double threshold = 0.0;
  std::int32_t left = 0;  // within the tree; right is left + 1; 0 for a leaf
  std::int32_t at = 0;    // feature, or first term counted from the tree's first
  std::int32_t grid = -1;
  std::uint32_t n_terms = 0;
  Way way = Way::axis;
  bool whole = false;
  bool missing_left = false;
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
  void apply(const Matrix<T>& X, int n_threads, std::int32_t* leaves, const Watch& watch) const;

  // out: rows × block. hard: each tree votes for its majority class.
  template <class T>
  void predict(const Matrix<T>& X, bool hard, int n_threads, double* out, const Watch& watch) const;

  // The same average over the trees in which a training row was out of bag; NaN where there is
  // none.
  void predict_oob(const std::int32_t* leaf_of_row, const std::int32_t* inbag, std::size_t n_rows,
                   bool hard, double* out, std::int32_t* n_trees_used) const;

 private:
  template <class T>
  friend class BlockWalk;

  void compile_tree(std::size_t tree);
  template <class T, class Visit>
  void walk(const Matrix<T>& X, int n_threads, const Visit& visit, const Watch& watch) const;
  void add_vote(std::size_t node, bool hard, double* out) const;
  void finish(double* out, std::int32_t votes) const;
  double value(std::size_t node, std::size_t k) const {
    return forest_.shares != nullptr ? static_cast<double>(forest_.shares[node * forest_.block + k])
                                     : forest_.means[node * forest_.block + k];
  }
  bool speaks(std::size_t node) const { return !voting_.skip_empty || forest_.weight[node] > 0.0; }

  FlatForest forest_;
  Geometry geometry_;
  Voting voting_;
  std::vector<WalkNode> nodes_;
  std::vector<Term> terms_;
  std::vector<std::int64_t> first_term_;  // of each tree
  std::vector<std::int32_t> pure_class_;  // of each leaf that holds one class only, else -1
  std::vector<Rotation> rotations_;
};

}  // namespace mf
