#include "data/dataset.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/parallel.hpp"
#include "data/summed_columns.hpp"
#include "data/transpose.hpp"

namespace mf {
namespace {

// Calls visit(pointers to some rows, how many, index of the first) for all rows.
template <class T, class Visit>
void for_rows_together(const Matrix<T>& matrix, int n_threads, const Visit& visit) {
  parallel_for((matrix.n_rows + kTransposedRows - 1) / kTransposedRows, n_threads,
               [&](std::size_t chunk) {
                 const std::size_t begin = chunk * kTransposedRows;
                 const std::size_t n = std::min(matrix.n_rows - begin, kTransposedRows);
                 const T* rows[kTransposedRows] = {};
                 for (std::size_t i = 0; i < n; ++i) rows[i] = matrix.row(begin + i);
                 visit(rows, n, begin);
               });
}

// The summed-area tables of all rows, as columns.
template <class T, class S>
LargeVector<S> tables_of(const Matrix<T>& matrix, const Grid& grid, int n_threads,
                         SumColumns<T, S>& sum_columns) {
  LargeVector<S> columns(matrix.n_rows * grid.table_size());
  for_rows_together(matrix, n_threads, [&](const T* const* rows, std::size_t n, std::size_t begin) {
    std::vector<T> transposed;
    sum_columns(rows, n, 0, matrix.n_features, grid, columns.data() + begin, matrix.n_rows,
                transposed);
  });
  return columns;
}

bool has_missing(const Matrix<float>& matrix, int n_threads) {
  std::atomic<bool> found{false};
  for_rows_together(matrix, n_threads, [&](const float* const* rows, std::size_t n, std::size_t) {
    const auto is_nan = [](float x) { return std::isnan(x); };
    for (std::size_t i = 0; i < n && !found; ++i)
      if (std::any_of(rows[i], rows[i] + matrix.width, is_nan)) found = true;
  });
  return found;
}

}  // namespace

template <class T>
Dataset<T>::Dataset(Matrix<T> rows, std::vector<Cells<T>> cells, const std::vector<Grid>& grids,
                    ColumnsAs columns, const std::vector<std::size_t>& largest_patch, int n_threads)
    : rows_(rows), cells_(std::move(cells)), summed_(grids.size()), narrow_(grids.size()) {
  keep_columns(columns, n_threads);
  for (std::size_t g = 0; g < grids.size(); ++g) {
    bool narrow = false;
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      narrow = 255 * largest_patch[g] < (std::size_t{1} << 16);
      if (narrow)
        narrow_[g] =
            tables_of(source(grids[g]), grids[g], n_threads, summed_columns<T, std::uint16_t>);
    }
    if (!narrow)
      summed_[g] = tables_of(source(grids[g]), grids[g], n_threads, summed_columns<T, Sum<T>>);
  }
  if constexpr (std::is_same_v<T, float>) {
    if (grids.empty() || !has_missing(rows, n_threads)) return;
    for (const Grid& grid : grids)
      missing_.push_back(tables_of(source(grid), grid, n_threads, missing_columns));
  }
}

template <class T>
void Dataset<T>::keep_columns(ColumnsAs columns, int n_threads,
                              [[maybe_unused]] const InterruptFunction& check_interrupt) {
  columns_ = UnwrittenVector<T>();  // not {}, which would keep the memory
  codes_.reset();
  if (columns == ColumnsAs::none || wide()) return;
  if constexpr (std::is_same_v<T, float>) {
    if (columns == ColumnsAs::codes) {
      codes_.emplace(rows_, Table<float>{}, Codes::kMostCodes, n_threads, check_interrupt);
      return;
    }
  }
  columns_.resize(rows_.n_rows * rows_.n_features);
  for_rows_together(rows_, n_threads, [&](const T* const* some, std::size_t n, std::size_t begin) {
    transpose(some, n, rows_.n_features, columns_.data() + begin, rows_.n_rows);
  });
}

template class Dataset<std::uint8_t>;
template class Dataset<float>;

}  // namespace mf
