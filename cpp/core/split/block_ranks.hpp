// The order of the rows of a block by each of its columns, found once for a whole subtree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/huge_pages.hpp"
#include "split/kernels/kernels.hpp"
#include "split/keys.hpp"
#include "split/order.hpp"
#include "split/spread_sort.hpp"

namespace mf::train {

// Columns are sorted when they are first asked for. A node of the subtree then orders its rows by
// small whole numbers, all different, in place of sorting floats.
class BlockRanks {
 public:
  static constexpr std::size_t kMaxRows = 4096;

  bool empty() const { return known_.empty(); }  // never started
  // Forgets all columns.
  void start(std::size_t n_rows, std::size_t n_columns) {
    n_rows_ = n_rows;
    known_.assign(n_columns, 0);
    has_ties_.assign(n_columns, 0);
    is_crowded_.resize(n_columns);
    ranks_.resize(n_rows * n_columns +
                  Kernels::kRanksAtOnce);  // the last are read beyond their end
    keys_.resize(n_rows * n_columns);
  }

  // The rank of each row of the block.
  const Rank* ranks(std::size_t column) const { return &ranks_[column * n_rows_]; }
  SortedKeys sorted(std::size_t column) const {
    return {{&keys_[column * n_rows_], n_rows_}, has_ties_[column] != 0};
  }
  bool is_known(std::size_t column) const { return known_[column] != 0; }

  // Of all columns, n_rows() apart, and whether each has ties and is known.
  std::size_t n_rows() const { return n_rows_; }
  const Key* keys() const { return keys_.data(); }
  const std::uint8_t* has_ties() const { return has_ties_.data(); }
  const std::uint8_t* known() const { return known_.data(); }

  // Sorts a column of the block.
  void sort(std::size_t column, const float* values);

 private:
  // Sorts into packed_.
  void sort_keys(std::size_t column, const float* values, const Key* keys, const KeyRange& range);

  std::size_t n_rows_ = 0;
  std::vector<std::uint8_t> known_, has_ties_;  // per column
  // Columns whose values are no longer expected to be spread, in any block.
  std::vector<std::uint8_t> is_crowded_;
  LargeVector<Rank> ranks_;  // columns × rows
  LargeVector<Key> keys_;    // columns × ranks
  std::vector<std::uint64_t> packed_;
  SpreadSort spread_sort_;
  PackedSort sort_;
};

}  // namespace mf::train
