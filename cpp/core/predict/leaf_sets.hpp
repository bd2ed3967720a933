// Forests of small trees, all of whose splits are compared with every row: no step waits for the
// one before, and no branch depends on the row (Lucchese et al. 2015, QuickScorer, here for several
// rows at once).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forest/flat_forest.hpp"
#include "predict/kernels/kernels.hpp"
#include "predict/walk.hpp"

namespace mf::predict {

// Trees of at most 32 leaves whose atoms are sums of features. The values of each different atom
// are computed once for a row.
class LeafSetForest {
 public:
  static constexpr std::size_t kMaxLeaves = 32;

  // Null if a tree or an atom does not fit, or there are too many different atoms.
  // integers: the rows are uint8.
  static std::unique_ptr<const LeafSetForest> make(const FlatForest& forest,
                                                   const Geometry& geometry, bool integers);

  std::size_t n_trees() const { return first_split_.size() - 1; }
  std::size_t n_splits() const { return splits_.size(); }
  std::size_t n_sums() const { return sums_.size(); }  // different ones
  std::size_t n_columns() const { return features_.size() + sums_.size(); }

  // The columns of n ≤ kRowsTogether rows from `begin` on, n_columns × kRowsTogether; whether some
  // value is missing.
  template <class T>
  bool fill_columns(const Matrix<T>& X, std::size_t begin, std::size_t n, float* columns) const;
  // The leaves of the rows of these columns, kRowsTogether × n_trees, as nodes of their trees.
  void find_leaves(const float* columns, bool missing, std::size_t first_tree, std::size_t n_trees,
                   std::size_t n_rows, std::int32_t* out) const;

 private:
  struct Sum {
    std::size_t first_term, n_terms;
  };
  class Packing;

  std::vector<std::int32_t> features_;  // of the first columns
  std::vector<Sum> sums_;               // of the others
  std::vector<Term> terms_;             // over columns
  std::vector<LeafSetSplit> splits_;
  std::vector<std::uint32_t> first_split_;  // of each tree, and the end
  std::vector<std::int32_t> node_of_leaf_;  // trees × kMaxLeaves
};

// Batches of many rows go through the sets of leaves, a few rows through the given forest: rows
// that are not there cost as much as others.
template <class T>
std::unique_ptr<WalkableForest<T>> with_leaf_sets(std::unique_ptr<WalkableForest<T>> packed,
                                                  std::unique_ptr<const LeafSetForest> sets);

}  // namespace mf::predict
