// Geometry: what stored atoms refer to. Shared by all trees of a forest, needed again to predict.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/grid.hpp"
#include "data/table.hpp"
#include "views/view.hpp"

namespace mf {

// Sparse atoms given by the user (or balls of a graph), row a being atom a.
struct Dictionary {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> features;
  std::vector<float> weights;

  std::size_t size() const { return offsets.size() - 1; }
};

struct Geometry {
  std::size_t n_features = 0;  // below 2^23: sums of as many bytes stay below 2^31
  std::vector<ViewPtr> views;  // named by grids
  std::vector<Grid> grids;
  Dictionary dictionary;

  // The view whose cells lie on a grid; null for the features themselves.
  const View* view_on(const Grid& grid) const {
    return grid.view < 0 ? nullptr : views[static_cast<std::size_t>(grid.view)].get();
  }
  // Whether examples may be bytes.
  bool takes_bytes() const {
    return std::all_of(views.begin(), views.end(),
                       [](const ViewPtr& view) { return view->takes_bytes(); });
  }
  // Of a row: the features, and the columns that views take from behind them.
  std::size_t row_width() const {
    std::size_t width = n_features;
    for (const ViewPtr& view : views) width += view->n_columns();
    return width;
  }
  // Rows of that width.
  template <class T>
  Matrix<T> rows_of(const T* data, std::size_t n_rows) const {
    return {data, n_rows, n_features, row_width()};
  }
};

// A tree's own rotation (RotRF): columns `dims` of X are replaced by X[:, dims] Q.
struct Rotation {
  std::vector<std::int32_t> dims;
  std::vector<float> matrix;  // dims × dims, row-major

  bool empty() const { return dims.empty(); }
  // Which column of X[:, dims] Q replaces a feature; dims.size() if it stays as it is.
  std::size_t column_of(std::int32_t feature) const {
    return static_cast<std::size_t>(std::find(dims.begin(), dims.end(), feature) - dims.begin());
  }
};

}  // namespace mf
