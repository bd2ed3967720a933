#include "data/dataset.hpp"

#include <algorithm>
#include <cmath>

#include "data/transpose.hpp"
#include "threads/parallel.hpp"

namespace mf {
namespace {

constexpr std::size_t kBlock = 64;  // rows turned at a time: one cache line of bytes

// Calls fill(row, buffer) for every row and stores the buffers as columns.
template <class U, class Fill>
std::vector<U> columns_of(std::size_t n_rows, std::size_t n_columns, int n_threads,
                          const Fill& fill) {
  std::vector<U> columns(n_rows * n_columns);
  const std::size_t n_blocks = (n_rows + kBlock - 1) / kBlock;
  parallel_for(n_blocks, n_threads, [&](std::size_t block) {
    const std::size_t begin = block * kBlock, n = std::min(n_rows, begin + kBlock) - begin;
    std::vector<U> buffer(n * n_columns);
    const U* rows[kBlock] = {};
    for (std::size_t i = 0; i < n; ++i) {
      fill(begin + i, buffer.data() + i * n_columns);
      rows[i] = buffer.data() + i * n_columns;
    }
    transpose(rows, n, n_columns, columns.data() + begin, n_rows);
  });
  return columns;
}

template <class T>
bool has_missing(const Matrix<T>& m) {
  if constexpr (std::is_same_v<T, float>)
    for (std::size_t i = 0; i < m.n_rows * m.n_features; ++i)
      if (std::isnan(m.data[i])) return true;
  return false;
}

}  // namespace

template <class T>
Dataset<T>::Dataset(Matrix<T> rows, const std::vector<Grid>& grids, bool columns,
                    const std::vector<std::size_t>& largest_patch, int n_threads)
    : rows_(rows), summed_(grids.size()), narrow_(grids.size()) {
  const std::size_t n = rows.n_rows;
  if (columns)
    columns_ = columns_of<T>(n, rows.n_features, n_threads, [&](std::size_t i, T* out) {
      std::copy(rows.row(i), rows.row(i) + rows.n_features, out);
    });
  for (std::size_t g = 0; g < grids.size(); ++g) {
    const Grid& grid = grids[g];
    auto fill = [&](std::size_t i, Sum<T>* out) { summed_area(rows.row(i), grid, out); };
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      if (255 * largest_patch[g] < (std::size_t{1} << 16)) {
        narrow_[g] = columns_of<std::uint16_t>(
            n, grid.table_size(), n_threads,
            [&](std::size_t i, std::uint16_t* out) { summed_area(rows.row(i), grid, out); });
        continue;
      }
    }
    summed_[g] = columns_of<Sum<T>>(n, grid.table_size(), n_threads, fill);
  }
  if constexpr (std::is_same_v<T, float>) {
    if (grids.empty() || !has_missing(rows)) return;
    for (const Grid& grid : grids)
      missing_.push_back(columns_of<std::int32_t>(
          n, grid.table_size(), n_threads,
          [&](std::size_t i, std::int32_t* out) { summed_missing(rows.row(i), grid, out); }));
  }
}

template class Dataset<std::uint8_t>;
template class Dataset<float>;

}  // namespace mf
