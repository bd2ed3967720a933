// The rows of a subtree, copied together so that they stay in cache while it is grown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "atoms/geometry.hpp"
#include "data/dataset.hpp"
#include "data/summed_columns.hpp"
#include "data/transpose.hpp"
#include "split/kernels/kernels.hpp"

namespace mf::train {

// The rows of a subtree are copied together once they are this few and take no more than a share of
// a level-3 cache: a column is then a few kilobytes.
constexpr std::size_t kMaxBlockRows = 4096;
constexpr std::size_t kMaxBlockBytes = std::size_t{8} << 20;
constexpr std::size_t kMinBlockRows = 32;  // fewer rows per block are not worth the copying

// All tables that atoms can read (TableId) but for the rotated data, in one layout.
template <class T>
struct Tables {
  Table<T> raw;
  std::vector<Table<Sum<T>>> summed;         // per grid; null where narrow is there
  std::vector<Table<std::uint16_t>> narrow;  // per grid
  std::vector<Table<std::int32_t>> missing;  // per grid; null where nothing is missing
};

// The same for a few rows, copied together column by column: a column of a block is a few cache
// lines.
template <class T>
class Block {
 public:
  Block(const Dataset<T>& data, const Geometry& geometry) : data_(data), geometry_(geometry) {
    bytes_per_row_ = data.feature_major() ? data.n_features() * sizeof(T) : 0;
    for (std::size_t g = 0; g < geometry.grids.size(); ++g) {
      const bool is_narrow = static_cast<bool>(data.narrow(static_cast<int>(g)));
      const bool has_missing = static_cast<bool>(data.missing(static_cast<int>(g)));
      bytes_per_row_ +=
          geometry.grids[g].table_size() * ((is_narrow ? sizeof(std::uint16_t) : sizeof(Sum<T>)) +
                                            (has_missing ? sizeof(std::int32_t) : 0));
    }
    summed_.resize(geometry.grids.size());
    narrow_.resize(geometry.grids.size());
    missing_.resize(geometry.grids.size());
  }

  std::size_t max_rows() const {
    if (bytes_per_row_ == 0) return 0;
    const std::size_t rows = std::min(kMaxBlockBytes / bytes_per_row_, kMaxBlockRows);
    return rows < kMinBlockRows ? 0 : rows;
  }
  const Tables<T>& tables() const { return tables_; }
  // Whether a column is known to have one value in the whole block, and so in every node.
  bool known_constant(std::size_t column) const { return is_constant_[column] == kYes; }
  // To be told of a column of bytes that is constant in a node: the whole column is looked at once.
  void found_constant(std::size_t column) {
    if (is_constant_[column] != kUnknown) return;
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      const T* values = tables_.raw.column(static_cast<std::ptrdiff_t>(column));
      const KeyRange range = kernels().byte_range(values, examples_.size());
      is_constant_[column] = range.constant(examples_.size()) ? kYes : kNo;
    }
  }
  Row place_of(Row row) const { return place_[static_cast<std::size_t>(row)]; }

  void fill(std::span<const Row> rows) {
    place_.resize(data_.n_rows());
    examples_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      place_[static_cast<std::size_t>(rows[i])] = static_cast<Row>(i);
      examples_[i] = data_.matrix().row(static_cast<std::size_t>(rows[i]));
    }
    tables_ = {};
    is_constant_.assign(data_.n_features(), kUnknown);
    if (data_.feature_major()) fill_raw();
    for (std::size_t g = 0; g < geometry_.grids.size(); ++g) fill_grid(g);
  }

 private:
  enum Known : std::uint8_t { kUnknown, kNo, kYes };

  void fill_raw() {
    raw_.resize(examples_.size() * data_.n_features());
    transpose(examples_.data(), examples_.size(), data_.n_features(), raw_.data(),
              examples_.size());
    tables_.raw = table_of(raw_);
  }

  void fill_grid(std::size_t g) {
    const Grid& grid = geometry_.grids[g];
    const int index = static_cast<int>(g);
    tables_.narrow.emplace_back();
    tables_.summed.emplace_back();
    tables_.missing.emplace_back();
    if (data_.narrow(index))
      tables_.narrow[g] = sum_columns(grid, narrow_[g], ValueOf<T, std::uint16_t>{});
    else
      tables_.summed[g] = sum_columns(grid, summed_[g], ValueOf<T, Sum<T>>{});
    if constexpr (std::is_same_v<T, float>)
      if (data_.missing(index)) tables_.missing[g] = sum_columns(grid, missing_[g], MissingOf{});
  }

  template <class S, class Value>
  Table<S> sum_columns(const Grid& grid, LargeVector<S>& to, const Value& value) {
    const std::size_t m = examples_.size();
    to.resize(m * grid.table_size());
    for (std::size_t begin = 0; begin < m; begin += kTurnedRows) {
      const std::size_t n = std::min(kTurnedRows, m - begin);
      summed_columns(&examples_[begin], n, m - begin - n, data_.n_features(), grid,
                     to.data() + begin, m, turned_, value);
    }
    return table_of(to);
  }

  template <class S>
  Table<S> table_of(const LargeVector<S>& columns) const {
    return {columns.data(), 1, static_cast<std::ptrdiff_t>(examples_.size())};
  }

  const Dataset<T>& data_;
  const Geometry& geometry_;
  std::size_t bytes_per_row_ = 0;
  Tables<T> tables_;
  std::vector<Known> is_constant_;  // per feature
  std::vector<Row> place_;          // of every row of the data that is in the block
  std::vector<const T*> examples_;
  LargeVector<T> raw_;
  std::vector<T> turned_;
  std::vector<LargeVector<Sum<T>>> summed_;
  std::vector<LargeVector<std::uint16_t>> narrow_;
  std::vector<LargeVector<std::int32_t>> missing_;
};

}  // namespace mf::train
