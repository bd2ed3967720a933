// The training data in every layout the grower reads.
//
// Row-major is the caller's array, never copied, and the cells of views beside it. The
// feature-major copy serves large nodes, where one column stays in cache; small nodes read a few
// whole rows. Columns of floats may be kept as codes, in half the memory. Very wide data have
// neither: most of their columns are never read. Summed-area tables are feature-major.
//
// Sums over patches of uint8 data that stay below 2^16 need only 16 bits of the table: differences
// are exact modulo 2^16. Such tables are half as large; they are used where no patch is too large.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/huge_pages.hpp"
#include "data/column_codes.hpp"
#include "data/grid.hpp"
#include "data/summed_area.hpp"
#include "data/table.hpp"

namespace mf {

constexpr std::size_t kWidestTransposed = std::size_t{256} << 10;  // bytes

// The cells of one view of all rows.
template <class T>
struct Cells {
  LargeVector<T> values;  // row-major
  std::size_t per_row = 0;
};

// What is kept of the columns of features: nothing, if no atom reads them (a forest of patches
// alone does not); a feature-major copy; their codes, which only floats have.
enum class ColumnsAs : std::uint8_t { none, values, codes };

template <class T>
class Dataset {
 public:
  using Codes = ColumnCodes<std::uint16_t>;

  // cells: of each view that grids name. largest_patch: pixels of the largest patch on each grid.
  Dataset(Matrix<T> rows, std::vector<Cells<T>> cells, const std::vector<Grid>& grids,
          ColumnsAs columns, const std::vector<std::size_t>& largest_patch, int n_threads);

  // Drops what was kept of the columns, and makes what is asked for. Nothing is kept if
  // check_interrupt throws.
  void keep_columns(
      ColumnsAs columns, int n_threads, const InterruptFunction& check_interrupt = [] {});
  bool wide() const { return rows_.n_features * sizeof(T) > kWidestTransposed; }

  std::size_t n_rows() const { return rows_.n_rows; }
  std::size_t n_features() const { return rows_.n_features; }
  const Matrix<T>& matrix() const { return rows_; }
  // What lies on a grid: the features, or the cells of a view.
  Matrix<T> source(const Grid& grid) const {
    if (grid.view < 0) return rows_;
    const Cells<T>& of_view = cells_[static_cast<std::size_t>(grid.view)];
    return {of_view.values.data(), rows_.n_rows, of_view.per_row};
  }

  Table<T> row_major() const { return rows_.table(); }
  // Null when the rows are wider than kWidestTransposed, or no values of columns are kept.
  Table<T> feature_major() const { return table_of(columns_); }
  // The same of codes.
  const Codes* codes() const { return codes_ ? &*codes_ : nullptr; }
  Table<Sum<T>> summed(int grid) const { return table_of(summed_[grid]); }
  // The same modulo 2^16; null where patches may be too large. Exactly one of the two is not null.
  Table<std::uint16_t> narrow(int grid) const { return table_of(narrow_[grid]); }
  // Null when no value is missing.
  Table<std::uint32_t> missing(int grid) const {
    return missing_.empty() ? Table<std::uint32_t>{} : table_of(missing_[grid]);
  }

 private:
  template <class U, class Allocator>
  Table<U> table_of(const std::vector<U, Allocator>& v) const {
    if (v.empty()) return {};
    return {v.data(), 1, static_cast<std::ptrdiff_t>(rows_.n_rows)};
  }

  Matrix<T> rows_;
  std::vector<Cells<T>> cells_;
  UnwrittenVector<T> columns_;
  std::optional<Codes> codes_;
  std::vector<LargeVector<Sum<T>>> summed_;
  std::vector<LargeVector<std::uint16_t>> narrow_;
  std::vector<LargeVector<std::uint32_t>> missing_;
};

extern template class Dataset<std::uint8_t>;
extern template class Dataset<float>;

}  // namespace mf
