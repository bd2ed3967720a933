// Predicting: blocks of rows are walked to their leaves, whose values are averaged over trees.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "data/table.hpp"
#include "forest/flat_forest.hpp"
#include "predict/walk.hpp"

namespace mf::predict {

// How leaves become a prediction.
struct Voting {
  std::vector<int> n_classes;    // per output; empty for regression
  bool skip_empty = false;       // leave out trees whose leaf has no weight
  std::vector<double> fallback;  // the block of a row that no tree speaks for
};

// Called now and then from the calling thread; an exception stops the work.
using Watch = std::function<void()>;

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
  // A forest compiled for rows of one type when the first of them come.
  template <class T>
  struct Compiled {
    std::once_flag once;
    std::unique_ptr<WalkableForest<T>> forest;
  };

  template <class T>
  const WalkableForest<T>& compiled() const;
  template <class T, class Visit>
  void walk(const Matrix<T>& X, int n_threads, const Visit& visit, const Watch& watch) const;
  void add_vote(std::size_t node, bool hard, double* out) const;
  void add_block(std::size_t node, bool hard, double* out) const;
  void finish(double* out, std::int32_t votes) const;
  double value(std::size_t node, std::size_t k) const {
    return forest_.shares != nullptr ? static_cast<double>(forest_.shares[node * forest_.block + k])
                                     : forest_.means[node * forest_.block + k];
  }
  bool speaks(std::size_t node) const { return !voting_.skip_empty || forest_.weight[node] > 0.0; }

  static constexpr std::uint8_t kMixed = 255;

  FlatForest forest_;
  Geometry geometry_;
  Voting voting_;
  std::vector<std::uint8_t> pure_class_;  // of each leaf that holds one class only, else kMixed
  mutable Compiled<std::uint8_t> integers_;
  mutable Compiled<float> floats_;
};

}  // namespace mf::predict
