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

namespace mf::train {

// Columns are sorted when they are first asked for. A node of the subtree then orders its rows by
// small whole numbers, all different, in place of sorting floats.
class BlockRanks {
 public:
  static constexpr std::size_t kMaxRows = 4096;

  bool empty() const { return columns_.empty(); }  // never started
  // Forgets all columns.
  void start(std::size_t n_rows, std::size_t n_columns) {
    n_rows_ = n_rows;
    columns_.assign(n_columns, {});
    ranks_.resize(n_rows * n_columns +
                  Kernels::kRanksAtOnce);  // the last are read beyond their end
    keys_.resize(n_rows * n_columns);
  }

  // The rank of each row of the block.
  const Rank* ranks(std::size_t column) const { return &ranks_[column * n_rows_]; }
  SortedKeys sorted(std::size_t column) const {
    return {{&keys_[column * n_rows_], n_rows_}, columns_[column].has_ties};
  }
  bool is_known(std::size_t column) const { return columns_[column].known; }

  // Sorts a column of the block.
  void sort(std::size_t column, const float* values);

 private:
  struct Known {
    bool known = false;
    bool has_ties = false;
  };

  std::size_t n_rows_ = 0;
  std::vector<Known> columns_;
  LargeVector<Rank> ranks_;  // columns × rows
  LargeVector<Key> keys_;    // columns × ranks
  std::vector<std::uint64_t> packed_;
  PackedSort sort_;
};

}  // namespace mf::train
