// The tables of a batch of rows that are predicted together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "atoms/geometry.hpp"
#include "atoms/row_rotation.hpp"
#include "data/summed_area.hpp"
#include "data/table.hpp"
#include "views/cells.hpp"

namespace mf::predict {

// The rows themselves and the summed-area tables of the grids that are read, with the numbers of
// missing values beside them.
template <class T>
class RowTables {
 public:
  static constexpr bool kRotates = false;

  // The geometry must outlive this.
  RowTables(const Geometry& geometry, const std::vector<bool>& reads_grid, std::size_t n_rows)
      : geometry_(geometry), views_(geometry.views) {
    for (std::size_t g = 0; g < reads_grid.size(); ++g) {
      if (!reads_grid[g]) continue;
      if (grids_.empty()) {
        has_missing_.resize(n_rows);
        summed_.resize(geometry.grids.size());
        missing_.resize(geometry.grids.size());
      }
      grids_.push_back(g);
      const std::size_t size = n_rows * geometry.grids[g].table_size();
      summed_[g].resize(size);
      if (kFloat) missing_[g].resize(size);
    }
  }

  static std::size_t bytes_per_row(const Geometry& geometry, const std::vector<bool>& reads_grid) {
    std::size_t bytes = 0;
    for (std::size_t g = 0; g < reads_grid.size(); ++g)
      if (reads_grid[g])
        bytes += geometry.grids[g].table_size() *
                 (sizeof(Sum<T>) + (kFloat ? sizeof(std::uint32_t) : 0));
    return bytes;
  }

  // Rows begin .. begin + n - 1 of X, which are called 0 .. n - 1 from now on.
  void load(const Matrix<T>& X, std::size_t begin, std::size_t n) {
    rows_ = X.rows(begin, n);
    if (grids_.empty()) return;
    for (std::size_t i = 0; i < n; ++i) {
      has_missing_[i] = kFloat && std::any_of(raw(i), raw(i) + X.width, [](T x) { return x != x; });
      views_.load(raw(i));
      for (const std::size_t g : grids_) {
        const Grid& grid = geometry_.grids[g];
        const std::size_t at = i * grid.table_size();
        const T* source = views_.source(grid);
        summed_area(source, grid, summed_[g].data() + at);
        if constexpr (kFloat)
          if (has_missing_[i]) summed_missing(source, grid, missing_[g].data() + at);
      }
    }
  }

  std::size_t n_rows() const { return rows_.n_rows; }
  const Matrix<T>& rows() const { return rows_; }
  const T* raw(std::size_t row) const { return rows_.row(row); }
  const Sum<T>* summed(std::size_t grid, std::size_t row) const {
    return summed_[grid].data() + row * geometry_.grids[grid].table_size();
  }
  // Only for atoms that read a summed-area table.
  bool has_missing(std::size_t row) const { return has_missing_[row] != 0; }
  const std::uint32_t* missing(std::size_t grid, std::size_t row) const {
    return missing_[grid].data() + row * geometry_.grids[grid].table_size();
  }

 private:
  static constexpr bool kFloat = std::is_same_v<T, float>;

  const Geometry& geometry_;
  ExampleViews<T> views_;  // of the row whose tables are made
  Matrix<T> rows_;
  std::vector<std::size_t> grids_;  // those that are read
  std::vector<std::uint8_t> has_missing_;
  std::vector<std::vector<Sum<T>>> summed_;  // of each grid
  std::vector<std::vector<std::uint32_t>> missing_;
};

// The same and the rows as each tree rotates them.
template <class T>
class RotatingTables : public RowTables<T> {
 public:
  static constexpr bool kRotates = true;

  RotatingTables(const Geometry& geometry, const std::vector<bool>& reads_grid, std::size_t n_rows,
                 std::size_t rotation_size)
      : RowTables<T>(geometry, reads_grid, n_rows),
        rotation_size_(rotation_size),
        rotated_(n_rows * rotation_size),
        column_(rotation_size > 0 ? geometry.n_features : 0) {}

  // Rotates the loaded rows.
  void start_tree(const RowRotation& rotation) {
    std::fill(column_.begin(), column_.end(), -1);
    for (std::size_t k = 0; k < rotation.size(); ++k)
      column_[static_cast<std::size_t>(rotation.dims()[k])] = static_cast<std::int32_t>(k);
    for (std::size_t i = 0; i < this->n_rows(); i += kRotatedRows)
      rotation.rotate(this->rows(), i, std::min(kRotatedRows, this->n_rows() - i), scratch_,
                      rotated_.data() + i * rotation_size_);
  }

  // Coordinates that are not rotated are read as they are.
  double rotated(std::int32_t feature, std::size_t row) const {
    const std::int32_t column = column_[static_cast<std::size_t>(feature)];
    if (column < 0) return static_cast<double>(this->raw(row)[feature]);
    return static_cast<double>(rotated_[row * rotation_size_ + static_cast<std::size_t>(column)]);
  }

 private:
  static constexpr std::size_t kRotatedRows = 48;  // that stay in cache

  std::size_t rotation_size_;
  std::vector<double> scratch_;
  std::vector<float> rotated_;
  std::vector<std::int32_t> column_;
};

}  // namespace mf::predict
