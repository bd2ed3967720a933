// The rows of a subtree, copied together so that they stay in cache while it is grown.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoms/geometry.hpp"
#include "base/page_vector.hpp"
#include "data/dataset.hpp"
#include "data/summed_columns.hpp"
#include "split/node_rows.hpp"

namespace mf::train {

// All tables that atoms can read (TableId) but for the rotated data, in one layout.
template <class T>
struct Tables {
  Table<T> raw;
  std::vector<Table<Sum<T>>> summed;          // per grid; null where `narrow` is not
  std::vector<Table<std::uint16_t>> narrow;   // per grid
  std::vector<Table<std::uint32_t>> missing;  // per grid; null where nothing is missing
};

// The same for a few rows, copied together column by column: a column of a block is a few cache
// lines.
template <class T>
class Block {
 public:
  Block(const Dataset<T>& data, const Geometry& geometry);

  std::size_t max_rows(std::size_t n_projections) const;
  // The same of a large block (BlockSize).
  std::size_t max_large_rows(std::size_t n_projections) const;
  const Tables<T>& tables() const { return tables_; }
  // Whether a column is known to have one value in the whole block, and so in every node.
  bool known_constant(std::size_t column) const { return is_constant_[column] == kYes; }
  // Reports a column of bytes that is constant in a node. The first report of a column makes the
  // block check all its rows.
  void found_constant(std::size_t column);
  // The codes of a column, copied when they are first asked for; null before that.
  const std::uint16_t* codes(std::size_t column);
  const std::uint16_t* copied_codes(std::size_t column) const {
    return has_codes_[column] != 0 ? codes_.data() + column * rows_.size() : nullptr;
  }
  // Known only if nodes are given as rows.
  Row place_of(Row row) const { return place_[static_cast<std::size_t>(row)]; }
  NodeRows given_as() const { return given_as_; }

  void fill(std::span<const Row> rows, NodeRows given_as);

 private:
  enum Known : std::uint8_t { kUnknown, kNo, kYes };

  void fill_raw();
  void fill_grid(std::size_t grid, std::span<const Row> rows);
  // Where the block's rows of what lies on a grid begin.
  const std::vector<const T*>& sources_of(const Grid& grid, std::span<const Row> rows);
  template <class S>
  Table<S> sum_columns_of(const std::vector<const T*>& sources, const Grid& grid,
                          SumColumns<T, S>& sum_columns, LargeVector<S>& to);
  template <class S>
  Table<S> table_of(const LargeVector<S>& columns) const {
    return {columns.data(), 1, static_cast<std::ptrdiff_t>(examples_.size())};
  }

  const Dataset<T>& data_;
  const Geometry& geometry_;
  std::size_t columns_per_row_ = 0;
  std::size_t bytes_per_row_ = 0;
  Tables<T> tables_;
  std::vector<Known> is_constant_;  // per feature
  NodeRows given_as_ = NodeRows::rows;
  // Of every row of the data that is in the block, which has at most 2^16 rows.
  PageVector<std::uint16_t> place_;
  std::vector<Row> rows_;
  LargeVector<std::uint16_t> codes_;     // column by column
  std::vector<std::uint8_t> has_codes_;  // per feature
  std::vector<const T*> examples_;
  std::vector<const T*> cells_;  // the same of a view
  LargeVector<T> raw_;
  std::vector<T> turned_;
  std::vector<LargeVector<Sum<T>>> summed_;
  std::vector<LargeVector<std::uint16_t>> narrow_;
  std::vector<LargeVector<std::uint32_t>> missing_;
};

extern template class Block<std::uint8_t>;
extern template class Block<float>;

}  // namespace mf::train
