// The rows of a subtree, copied together so that they stay in cache while it is grown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "data/dataset.hpp"
#include "data/transpose.hpp"
#include "projections/geometry.hpp"

namespace mf {

// What the rows of a subtree may take to be copied together: a common level-2 cache.
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kMinBlockRows = 32;  // fewer rows per block are not worth the copying

// All tables that atoms can read, in one layout.
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
    const std::size_t rows = bytes_per_row_ > 0 ? kBlockBytes / bytes_per_row_ : 0;
    return rows < kMinBlockRows ? 0 : rows;
  }
  const Tables<T>& tables() const { return tables_; }
  Row place_of(Row row) const { return place_[static_cast<std::size_t>(row)]; }

  void fill(std::span<const Row> rows) {
    place_.resize(data_.n_rows());
    for (std::size_t i = 0; i < rows.size(); ++i)
      place_[static_cast<std::size_t>(rows[i])] = static_cast<Row>(i);
    tables_ = {};
    if (data_.feature_major()) fill_raw(rows);
    for (std::size_t g = 0; g < geometry_.grids.size(); ++g) fill_grid(rows, g);
  }

 private:
  // Columns of what fill(example, out) makes of every row, a few rows at a time.
  template <class U, class Fill>
  Table<U> columns_of(std::span<const Row> rows, std::size_t width, std::vector<U>& to,
                      std::vector<U>& few, const Fill& fill) {
    constexpr std::size_t kFew = 16;
    to.resize(rows.size() * width);
    few.resize(kFew * width);
    const U* pointers[kFew] = {};
    for (std::size_t begin = 0; begin < rows.size(); begin += kFew) {
      const std::size_t n = std::min(kFew, rows.size() - begin);
      for (std::size_t i = 0; i < n; ++i) {
        fill(data_.matrix().row(static_cast<std::size_t>(rows[begin + i])), few.data() + i * width);
        pointers[i] = few.data() + i * width;
      }
      transpose(pointers, n, width, to.data() + begin, rows.size());
    }
    return {to.data(), 1, static_cast<std::ptrdiff_t>(rows.size())};
  }

  void fill_raw(std::span<const Row> rows) {
    pointers_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      pointers_[i] = data_.matrix().row(static_cast<std::size_t>(rows[i]));
    raw_.resize(rows.size() * data_.n_features());
    transpose(pointers_.data(), rows.size(), data_.n_features(), raw_.data(), rows.size());
    tables_.raw = {raw_.data(), 1, static_cast<std::ptrdiff_t>(rows.size())};
  }

  void fill_grid(std::span<const Row> rows, std::size_t g) {
    const Grid& grid = geometry_.grids[g];
    const std::size_t width = grid.table_size();
    Table<Sum<T>> wide;
    Table<std::uint16_t> narrow;
    Table<std::int32_t> missing;
    if (data_.narrow(static_cast<int>(g))) {
      if constexpr (std::is_same_v<T, std::uint8_t>)
        narrow = columns_of(
            rows, width, narrow_[g], few_narrow_,
            [&](const T* example, std::uint16_t* out) { summed_area(example, grid, out); });
    } else {
      wide = columns_of(rows, width, summed_[g], few_summed_,
                        [&](const T* example, Sum<T>* out) { summed_area(example, grid, out); });
    }
    if constexpr (std::is_same_v<T, float>)
      if (data_.missing(static_cast<int>(g)))
        missing = columns_of(
            rows, width, missing_[g], few_missing_,
            [&](const T* example, std::int32_t* out) { summed_missing(example, grid, out); });
    tables_.summed.push_back(wide);
    tables_.narrow.push_back(narrow);
    tables_.missing.push_back(missing);
  }

  const Dataset<T>& data_;
  const Geometry& geometry_;
  std::size_t bytes_per_row_ = 0;
  Tables<T> tables_;
  std::vector<Row> place_;  // of every row of the data that is in the block
  std::vector<T> raw_;
  std::vector<const T*> pointers_;
  std::vector<Sum<T>> few_summed_;
  std::vector<std::uint16_t> few_narrow_;
  std::vector<std::int32_t> few_missing_;
  std::vector<std::vector<Sum<T>>> summed_;
  std::vector<std::vector<std::uint16_t>> narrow_;
  std::vector<std::vector<std::int32_t>> missing_;
};

}  // namespace mf
