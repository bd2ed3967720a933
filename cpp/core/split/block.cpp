#include "split/block.hpp"

#include <algorithm>
#include <type_traits>

#include "data/transpose.hpp"
#include "split/kernels/kernels.hpp"

namespace mf::train {
namespace {

// A subtree gets a block if it has at most this many rows, and they take no more than a share of
// the level-3 cache. A column is then a few kilobytes.
constexpr std::size_t kMaxBlockRows = 4096;
constexpr std::size_t kMaxCodedRows = 16384;  // codes are smaller
constexpr std::size_t kMaxLargeRows = 32768;
static_assert(kMaxLargeRows <= std::size_t{1} << 16, "places of rows in a block have 16 bits");
constexpr std::size_t kMaxBlockBytes = std::size_t{8} << 20;
constexpr std::size_t kMinBlockRows = 32;  // fewer rows per block are not worth the copying
// Columns that can be copied, or summed, in the time that projecting a copied row saves.
constexpr std::size_t kColumnsPerProjection = 8;

}  // namespace

template <class T>
Block<T>::Block(const Dataset<T>& data, const Geometry& geometry)
    : data_(data),
      geometry_(geometry),
      summed_(geometry.grids.size()),
      narrow_(geometry.grids.size()),
      missing_(geometry.grids.size()) {
  columns_per_row_ = data.feature_major() ? data.n_features() : 0;
  bytes_per_row_ = columns_per_row_ * sizeof(T);
  if (data.codes() != nullptr) {
    columns_per_row_ = data.n_features();
    bytes_per_row_ = data.n_features() * sizeof(std::uint16_t);
  }
  for (std::size_t g = 0; g < geometry.grids.size(); ++g) {
    const bool is_narrow = static_cast<bool>(data.narrow(static_cast<int>(g)));
    const bool has_missing = static_cast<bool>(data.missing(static_cast<int>(g)));
    columns_per_row_ += geometry.grids[g].table_size();
    bytes_per_row_ +=
        geometry.grids[g].table_size() * ((is_narrow ? sizeof(std::uint16_t) : sizeof(Sum<T>)) +
                                          (has_missing ? sizeof(std::uint32_t) : 0));
  }
}

template <class T>
std::size_t Block<T>::max_rows(std::size_t n_projections) const {
  if (bytes_per_row_ == 0 || n_projections < columns_per_row_ / kColumnsPerProjection) return 0;
  const std::size_t most = data_.codes() != nullptr ? kMaxCodedRows : kMaxBlockRows;
  const std::size_t rows = std::min(kMaxBlockBytes / bytes_per_row_, most);
  return rows < kMinBlockRows ? 0 : rows;
}

// Of floats alone: bytes and codes are read from fewer cache lines. Where a large block has most of
// the rows it would save nothing.
template <class T>
std::size_t Block<T>::max_large_rows(std::size_t n_projections) const {
  if (std::is_same_v<T, std::uint8_t> || !data_.feature_major() || !geometry_.grids.empty())
    return 0;
  if (n_projections < columns_per_row_ / kColumnsPerProjection) return 0;
  const std::size_t rows = std::min(kMaxBlockBytes / bytes_per_row_, kMaxLargeRows);
  return rows < 2 * kMaxBlockRows || 2 * rows > data_.n_rows() ? 0 : rows;
}

template <class T>
void Block<T>::found_constant(std::size_t column) {
  if (is_constant_[column] != kUnknown) return;
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    const T* values = tables_.raw.column(static_cast<std::ptrdiff_t>(column));
    const KeyRange range = kernels().byte_range(values, examples_.size());
    is_constant_[column] = range.constant(examples_.size()) ? kYes : kNo;
  }
}

template <class T>
const std::uint16_t* Block<T>::codes(std::size_t column) {
  std::uint16_t* to = codes_.data() + column * rows_.size();
  if (has_codes_[column] != 0) return to;
  has_codes_[column] = 1;
  const std::uint16_t* from = data_.codes()->table().column(static_cast<std::ptrdiff_t>(column));
  for (std::size_t i = 0; i < rows_.size(); ++i) to[i] = from[rows_[i]];
  return to;
}

template <class T>
void Block<T>::fill(std::span<const Row> rows, NodeRows given_as) {
  given_as_ = given_as;
  examples_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    examples_[i] = data_.matrix().row(static_cast<std::size_t>(rows[i]));
  if (given_as == NodeRows::rows) {
    place_.resize(data_.n_rows());
    for (std::size_t i = 0; i < rows.size(); ++i)
      place_[static_cast<std::size_t>(rows[i])] = static_cast<std::uint16_t>(i);
  }
  tables_ = {};
  is_constant_.assign(data_.n_features(), kUnknown);
  if (data_.feature_major()) fill_raw();
  if (data_.codes() != nullptr) {
    rows_.assign(rows.begin(), rows.end());
    codes_.resize(rows.size() * data_.n_features());
    has_codes_.assign(data_.n_features(), 0);
  }
  for (std::size_t g = 0; g < geometry_.grids.size(); ++g) fill_grid(g, rows);
}

template <class T>
void Block<T>::fill_raw() {
  const std::size_t n = examples_.size() * data_.n_features();
  if (raw_.size() < n) raw_.resize(n);  // never shrinks: growing writes zeros
  transpose(examples_.data(), examples_.size(), data_.n_features(), raw_.data(), examples_.size());
  tables_.raw = table_of(raw_);
}

template <class T>
void Block<T>::fill_grid(std::size_t g, std::span<const Row> rows) {
  const Grid& grid = geometry_.grids[g];
  const int index = static_cast<int>(g);
  const std::vector<const T*>& sources = sources_of(grid, rows);
  tables_.narrow.emplace_back();
  tables_.summed.emplace_back();
  tables_.missing.emplace_back();
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    if (data_.narrow(index)) {
      tables_.narrow[g] =
          sum_columns_of(sources, grid, summed_columns<T, std::uint16_t>, narrow_[g]);
      return;
    }
  }
  tables_.summed[g] = sum_columns_of(sources, grid, summed_columns<T, Sum<T>>, summed_[g]);
  if constexpr (std::is_same_v<T, float>)
    if (data_.missing(index))
      tables_.missing[g] = sum_columns_of(sources, grid, missing_columns, missing_[g]);
}

template <class T>
const std::vector<const T*>& Block<T>::sources_of(const Grid& grid, std::span<const Row> rows) {
  if (grid.view < 0) return examples_;
  const Matrix<T> cells = data_.source(grid);
  cells_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    cells_[i] = cells.row(static_cast<std::size_t>(rows[i]));
  return cells_;
}

template <class T>
template <class S>
Table<S> Block<T>::sum_columns_of(const std::vector<const T*>& sources, const Grid& grid,
                                  SumColumns<T, S>& sum_columns, LargeVector<S>& to) {
  const std::size_t m = sources.size(), n_cells = data_.source(grid).n_features;
  to.resize(m * grid.table_size());
  for (std::size_t begin = 0; begin < m; begin += kTransposedRows) {
    const std::size_t n = std::min(kTransposedRows, m - begin);
    sum_columns(&sources[begin], n, m - begin - n, n_cells, grid, to.data() + begin, m, turned_);
  }
  return table_of(to);
}

template class Block<std::uint8_t>;
template class Block<float>;

}  // namespace mf::train
