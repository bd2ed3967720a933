// How the entries of a row lie in the table of a form.
#pragma once

#include <algorithm>
#include <vector>

#include "atoms/compiled.hpp"
#include "atoms/geometry.hpp"
#include "data/summed_area.hpp"
#include "views/cells.hpp"

namespace mf::predict {

// The features alone.
template <class T, class E>
class RowOnly {
 public:
  explicit RowOnly(const Geometry& geometry) : size_(geometry.n_features) {}

  std::size_t size() const { return size_; }
  std::size_t first(const TableId&) const { return 0; }
  void fill(ExampleViews<T>& of, E* out) const { std::copy_n(of.example(), size_, out); }

 private:
  std::size_t size_;
};

// The summed-area tables of all grids side by side, followed by the features.
template <class T, class E>
class SumsAndRow {
 public:
  explicit SumsAndRow(const Geometry& geometry) : geometry_(geometry) {
    for (const Grid& grid : geometry.grids) {
      first_.push_back(n_sums_);
      n_sums_ += grid.table_size();
    }
  }

  std::size_t n_sums() const { return n_sums_; }
  std::size_t size() const { return n_sums_ + geometry_.n_features; }
  const Geometry& geometry() const { return geometry_; }

  // Where a table begins.
  std::size_t first(std::size_t grid) const { return first_[grid]; }
  std::size_t first(const TableId& table) const {
    return table.kind == TableId::Kind::raw ? n_sums_
                                            : first_[static_cast<std::size_t>(table.grid)];
  }

  void fill_sums(ExampleViews<T>& of, E* out) const {
    for (std::size_t g = 0; g < first_.size(); ++g)
      summed_area(of.source(geometry_.grids[g]), geometry_.grids[g], out + first_[g]);
  }
  void fill_row(ExampleViews<T>& of, E* out) const {
    std::copy_n(of.example(), geometry_.n_features, out + n_sums_);
  }
  void fill(ExampleViews<T>& of, E* out) const {
    fill_sums(of, out);
    fill_row(of, out);
  }

 private:
  const Geometry& geometry_;
  std::vector<std::size_t> first_;  // entry of each grid's table
  std::size_t n_sums_ = 0;
};

}  // namespace mf::predict
